import { Button, Checkbox, FileButton, Group, Input, PasswordInput, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { HearthError } from "../../../../wire/src/errors.ts";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { Form } from "../../forms/form.tsx";
import { Dialog } from "../../show/dialog.tsx";

type Settings = Schemas["CadTrustSettings"];
type NewSettings = Schemas["NewCadTrustSettings"];
type Profile = NewSettings["profile"];
type Problem = "notJson" | "notProjects" | "unreadable";
type Chosen = { name: string; profile: Profile } | { name: string; problem: Problem };

/** Set the server and its key, switch the dry run, and replace the projects by those of a file. */
export function SettingsDialog({ onClose, ...given }: { settings: Settings | null; onClose: () => void }) {
  const { t } = useTranslation();
  // Those with which the dialog was opened: what it sends is a change of these.
  const [settings] = useState(given.settings);
  const [chosen, setChosen] = useState<Chosen>();
  const resetFile = useRef<() => void>(null);
  const form = useForm({
    initialValues: { serverUrl: settings?.serverUrl ?? "", apiKey: "", dryRun: settings?.dryRun ?? true },
  });
  const take = async (file: File | null) => {
    if (file === null) return;
    setChosen(await read(file));
    // The same file can be chosen again after it was corrected.
    resetFile.current?.();
  };
  const problem = chosen !== undefined && "problem" in chosen ? chosen.problem : undefined;
  const profile = chosen === undefined ? settings?.profile : "profile" in chosen ? chosen.profile : undefined;
  const save = useMutation({
    mutationFn: async ({ serverUrl, apiKey, dryRun }: typeof form.values) => {
      const key = apiKey.trim();
      const changedAt = settings?.changedAt ?? null;
      const body = { serverUrl: serverUrl.trim(), dryRun, profile, changedAt, ...(key === "" ? {} : { apiKey: key }) };
      // The API checks the file's content and names what is wrong in it.
      await hearth.put("/v1/cad-trust/settings", { body: body as NewSettings });
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ["regulator", "cad-trust"] });
      onClose();
    },
    // Somebody else has changed them: opened again, the dialog has the new ones.
    onError: async (error) => {
      if (!(error instanceof HearthError) || error.code !== "CONFLICT") return;
      await queryClient.invalidateQueries({ queryKey: ["regulator", "cad-trust", "settings"] });
    },
  });
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
          error={problem === undefined ? undefined : t(`registry.settings.${problem}`)}
        >
          <Group gap="sm" mt="xs">
            <FileButton accept=".json,application/json" resetRef={resetFile} onChange={take}>
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
  const { name } = file;
  let content: unknown;
  try {
    content = JSON.parse(await file.text());
  } catch (error) {
    // A browser does not read a file that was changed after it was chosen.
    return { name, problem: error instanceof SyntaxError ? "notJson" : "unreadable" };
  }
  if (typeof content !== "object" || content === null || Array.isArray(content))
    return { name, problem: "notProjects" };
  // The API checks the projects.
  return { name, profile: "profile" in content ? (content.profile as Profile) : (content as Profile) };
}
