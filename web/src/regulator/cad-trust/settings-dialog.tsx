import { Button, Checkbox, FileButton, Group, Input, PasswordInput, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { Form } from "../../forms/form.tsx";
import { Dialog } from "../../show/dialog.tsx";

type Settings = Schemas["CadTrustSettings"];
type NewSettings = Schemas["NewCadTrustSettings"];
type Profile = NewSettings["profile"];
type Chosen = { name: string; profile: Profile | undefined };

/** Set the server and its key, switch the dry run, and replace the projects by those of a file. */
export function SettingsDialog({ settings, onClose }: { settings: Settings | null; onClose: () => void }) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<Chosen>();
  const form = useForm({
    initialValues: { serverUrl: settings?.serverUrl ?? "", apiKey: "", dryRun: settings?.dryRun ?? true },
  });
  const profile = chosen === undefined ? settings?.profile : chosen.profile;
  const save = useMutation({
    mutationFn: async ({ serverUrl, apiKey, dryRun }: typeof form.values) => {
      const key = apiKey.trim();
      const body = { serverUrl: serverUrl.trim(), dryRun, profile, ...(key === "" ? {} : { apiKey: key }) };
      // The API checks the file's content and names what is wrong in it.
      await hearth.put("/v1/cad-trust/settings", { body: body as NewSettings });
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ["regulator", "cad-trust"] });
      onClose();
    },
  });
  const isUnreadable = chosen !== undefined && chosen.profile === undefined;
  return (
    <Dialog title={t("registry.settings.title")} onClose={onClose}>
      <Form
        form={form}
        work={save}
        submit={t("registry.settings.save")}
        canSubmit={form.values.serverUrl.trim() !== "" && profile !== undefined}
        onCancel={onClose}
      >
        <TextInput
          data-autofocus
          required
          spellCheck={false}
          label={t("registry.settings.serverUrl")}
          placeholder="https://cadt.example"
          {...form.getInputProps("serverUrl")}
        />
        <PasswordInput
          autoComplete="off"
          label={t("registry.settings.apiKey")}
          description={t("registry.settings.apiKeyHint")}
          {...form.getInputProps("apiKey")}
        />
        <Input.Wrapper
          description={t("registry.settings.fileHint")}
          error={isUnreadable ? t("registry.settings.notJson") : undefined}
        >
          <Group gap="sm" mt="xs">
            <FileButton accept=".json,application/json" onChange={async (file) => file && setChosen(await read(file))}>
              {(props) => (
                <Button variant="default" {...props}>
                  {t("registry.settings.file")}
                </Button>
              )}
            </FileButton>
            {chosen !== undefined && <Text size="sm">{t("registry.settings.chosen", { name: chosen.name })}</Text>}
          </Group>
        </Input.Wrapper>
        <Checkbox label={t("registry.settings.dryRun")} {...form.getInputProps("dryRun", { type: "checkbox" })} />
      </Form>
    </Dialog>
  );
}

/** Read the projects of a file: a whole file of settings, as the command takes it, or only its `profile`. */
async function read(file: File): Promise<Chosen> {
  try {
    const content = JSON.parse(await file.text()) as { profile?: Profile };
    return { name: file.name, profile: content.profile ?? (content as Profile) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { name: file.name, profile: undefined };
  }
}
