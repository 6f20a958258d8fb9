import { Alert, Button, Group, NativeSelect, PasswordInput, Radio, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconSend } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Form } from "../../forms/form.tsx";
import type { Identity } from "../../identity/identity-store.ts";
import { CodeValue } from "../../show/code-value.tsx";
import { sendText } from "../../show/send-text.ts";
import { storeLink } from "./link-records.ts";
import { type LinkRight, leastPassword, linkDays, linkRights, makeLink } from "./share-link.ts";

type Made = Awaited<ReturnType<typeof makeLink>>;
type Values = { right: LinkRight; days: string; password: string };

/** Make a link that a person can open without an account. */
export function LinkForm({ identity, path }: { identity: Identity; path: string }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [made, setMade] = useState<Made>();
  const form = useForm<Values>({
    initialValues: { right: "read", days: "7", password: "" },
    validate: {
      password: (text) =>
        text !== "" && text.length < leastPassword ? t("files.link.passwordShort", { least: leastPassword }) : null,
    },
  });
  const make = useMutation({
    mutationFn: async ({ right, days, password }: Values) => {
      const link = await makeLink(identity, { path, right, days: Number(days), password });
      await storeLink(identity, link.record);
      return link;
    },
    onMutate: () => setMade(undefined),
    onSuccess: (link) => {
      setMade(link);
      form.setFieldValue("password", "");
      void queryClient.invalidateQueries({ queryKey: ["files", "links"] });
    },
  });
  return (
    <Stack gap="sm">
      <Form form={form} work={make} submit={t("files.link.submit")} gap="sm">
        <Radio.Group label={t("files.link.right")} {...form.getInputProps("right")}>
          <Stack gap={6} mt={6}>
            {linkRights.map((right) => (
              <Radio key={right} value={right} label={t(`files.link.rights.${right}`)} />
            ))}
          </Stack>
        </Radio.Group>
        <NativeSelect
          label={t("files.link.until")}
          data={linkDays.map((days) => ({ value: String(days), label: t("files.link.days", { count: days }) }))}
          {...form.getInputProps("days")}
        />
        <PasswordInput
          label={t("files.link.password")}
          description={t("files.link.passwordHint")}
          autoComplete="new-password"
          visibilityToggleButtonProps={{ "aria-label": t("files.link.showPassword") }}
          {...form.getInputProps("password")}
        />
      </Form>
      {made !== undefined && (
        <Alert color="teal" role="status" title={t("files.link.made")}>
          <Stack gap="xs" align="flex-start">
            <Text size="sm">{t(made.record.hasPassword ? "files.link.lockedHint" : "files.link.madeHint")}</Text>
            <CodeValue value={made.url} shorten />
            <Group>
              <Button
                size="xs"
                variant="default"
                leftSection={<IconSend size={16} aria-hidden />}
                onClick={() => void sendText(t("files.link.subject", { path }), made.url, "link.txt")}
              >
                {t("files.link.send")}
              </Button>
            </Group>
          </Stack>
        </Alert>
      )}
    </Stack>
  );
}
