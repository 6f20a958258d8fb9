import { TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Form } from "../../forms/form.tsx";
import { Dialog } from "../../show/dialog.tsx";
import type { FileStore } from "../file-store.ts";
import type { FileMetadata, VersionEntry } from "../file-types.ts";

type LabelProps = { store: FileStore; file: FileMetadata; version: VersionEntry; onClose: (changed: boolean) => void };

/** Name a version, or remove its name. */
export function LabelDialog({ store, file, version, onClose }: LabelProps) {
  const { t } = useTranslation();
  const form = useForm({ initialValues: { label: version.label ?? "" } });
  const write = useMutation({
    mutationFn: ({ label }: typeof form.values) =>
      store.label(file.id, version.version, { label: label.trim() || null }),
    onSuccess: () => onClose(true),
  });
  return (
    <Dialog title={t("files.label.title", { version: version.version })} onClose={() => onClose(false)}>
      <Form form={form} work={write} submit={t("common.save")} onCancel={() => onClose(false)}>
        <TextInput
          label={t("files.label.name")}
          description={t("files.label.hint")}
          data-autofocus
          {...form.getInputProps("label")}
        />
      </Form>
    </Dialog>
  );
}
