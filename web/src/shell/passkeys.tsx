import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../wire/src/routes.ts";
import { hearth } from "../api/client.ts";
import { queryClient } from "../api/query-client.ts";
import { Form } from "../forms/form.tsx";
import { canUsePasskeys } from "../session/can-use-passkeys.ts";
import { createPasskey } from "../session/passkeys.ts";
import { Dialog } from "../show/dialog.tsx";
import { ErrorNotice } from "../show/error-notice.tsx";
import { Moment } from "../show/moment.tsx";

const queryKey = ["shell", "passkeys"];

/** The person's passkeys: make and revoke them. */
export function Passkeys({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const { data, error } = useQuery({
    queryKey,
    queryFn: ({ signal }) => hearth.get("/v1/keys/self/passkeys", { signal }).then(({ items }) => items),
  });
  const form = useForm({ initialValues: { name: "" } });
  const create = useMutation({
    mutationFn: ({ name }: { name: string }) => createPasskey(name.trim()),
    onSuccess: async () => {
      form.reset();
      await queryClient.invalidateQueries({ queryKey });
    },
  });
  return (
    <Dialog title={t("shell.passkey.title")} onClose={onClose}>
      <Stack>
        <Text size="sm">{t("shell.passkey.lead")}</Text>
        {error !== null && <ErrorNotice error={error} />}
        {data?.length === 0 && <Text size="sm">{t("shell.passkey.none")}</Text>}
        {data?.map((each) => (
          <Passkey key={each.id} passkey={each} />
        ))}
        {canUsePasskeys() ? (
          <Form form={form} work={create} submit={t("shell.passkey.create")} canSubmit={form.values.name.trim() !== ""}>
            <TextInput
              label={t("shell.passkey.name")}
              description={t("shell.passkey.nameHint")}
              required
              maxLength={100}
              data-autofocus
              {...form.getInputProps("name")}
            />
          </Form>
        ) : (
          <Text size="sm">{t("shell.passkey.local", { url: `http://localhost:${window.location.port}/console` })}</Text>
        )}
      </Stack>
    </Dialog>
  );
}

function Passkey({ passkey: { id, name, lastUsedAt, revokedAt } }: { passkey: Schemas["Passkey"] }) {
  const { t } = useTranslation();
  const revoke = useMutation({
    mutationFn: () => hearth.delete("/v1/keys/self/passkeys/{id}", { path: { id } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey }),
  });
  return (
    <Group justify="space-between">
      <Stack gap={0}>
        <Text fw={600} translate="no">
          {name}
        </Text>
        <Text size="xs" c="dimmed">
          {lastUsedAt === null ? (
            t("shell.passkey.never")
          ) : (
            <>
              {t("shell.passkey.used")} <Moment at={lastUsedAt} />
            </>
          )}
        </Text>
        {revoke.isError && <ErrorNotice error={revoke.error} />}
      </Stack>
      {revokedAt === null ? (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`${t("shell.passkey.revoke")} ${name}`}
          loading={revoke.isPending}
          onClick={() => revoke.mutate()}
        >
          {t("shell.passkey.revoke")}
        </Button>
      ) : (
        <Text size="sm">{t("shell.passkey.revoked")}</Text>
      )}
    </Group>
  );
}
