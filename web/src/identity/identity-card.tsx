import { Badge, Button, Group, Paper, Stack, Text, Textarea, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ConfirmForm } from "../forms/confirm-form.tsx";
import { Form } from "../forms/form.tsx";
import { CodeValue } from "../show/code-value.tsx";
import { Dialog } from "../show/dialog.tsx";
import { saveAs } from "../show/save-as.ts";
import { identityStore } from "./identity.ts";
import type { Identity } from "./identity-store.ts";

/** The user's key: which namespace it opens, how long it is kept, and how to save, replace and forget it. */
export function IdentityCard({ identity }: { identity: Identity }) {
  const { t } = useTranslation();
  const [dialog, setDialog] = useState<"import" | "remember" | "forget">();
  const text = identityStore.exportText();
  const close = () => setDialog(undefined);
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2} size="h4">
            {t("files.key.title")}
          </Title>
          <Badge variant="outline" tt="none" styles={{ label: { color: "var(--mantine-color-text)" } }}>
            {t(`files.key.${identity.keeping}`)}
          </Badge>
        </Group>
        <CodeValue value={identity.did} />
        <Text size="sm" c="dimmed">
          {t(identity.keeping === "tab" ? "files.key.tabLead" : "files.key.deviceLead")}
        </Text>
        <Group gap="xs">
          {text !== undefined && (
            <Button variant="default" onClick={() => saveAs(new Blob([`${text}\n`]), "hearth-files.key")}>
              {t("files.key.save")}
            </Button>
          )}
          {identity.keeping === "tab" && (
            <Button onClick={() => setDialog("remember")}>{t("files.key.remember")}</Button>
          )}
          <Button variant="default" onClick={() => setDialog("import")}>
            {t("files.key.import")}
          </Button>
          <Button variant="subtle" color="red" onClick={() => setDialog("forget")}>
            {t("files.key.forget")}
          </Button>
        </Group>
      </Stack>
      {dialog === "import" && <ImportDialog onClose={close} />}
      {dialog === "remember" && <ConfirmDialog name="remember" run={() => identityStore.remember()} onClose={close} />}
      {dialog === "forget" && <ConfirmDialog name="forget" run={() => identityStore.forget()} onClose={close} />}
    </Paper>
  );
}

type ConfirmProps = { name: "remember" | "forget"; run: () => Promise<unknown>; onClose: () => void };

function ConfirmDialog({ name, run, onClose }: ConfirmProps) {
  const { t } = useTranslation();
  const work = useMutation({ mutationFn: run, onSuccess: onClose });
  return (
    <Dialog onClose={onClose} title={t(`files.key.${name}`)}>
      <ConfirmForm
        work={work}
        submit={t(`files.key.${name}Confirm`)}
        color={name === "forget" ? "red" : "teal"}
        onCancel={onClose}
      >
        <Text size="sm">{t(`files.key.${name}Lead`)}</Text>
      </ConfirmForm>
    </Dialog>
  );
}

function ImportDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const form = useForm({ initialValues: { text: "" } });
  const { mutate, isPending } = useMutation({
    mutationFn: ({ text }: typeof form.values) => identityStore.importText(text),
    onSuccess: onClose,
    onError: () => form.setFieldError("text", t("files.key.wrong")),
  });
  // The field shows its own error when the text is not a key.
  const work = { mutate, isPending, error: null };
  return (
    <Dialog onClose={onClose} title={t("files.key.import")}>
      <Form
        form={form}
        work={work}
        submit={t("files.key.importConfirm")}
        canSubmit={form.values.text.trim() !== ""}
        onCancel={onClose}
      >
        <Textarea
          label={t("files.key.text")}
          description={t("files.key.importLead")}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          {...form.getInputProps("text")}
        />
      </Form>
    </Dialog>
  );
}
