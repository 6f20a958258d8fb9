import { Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Form } from "../../forms/form.tsx";
import { Dialog } from "../../show/dialog.tsx";
import type { FileStore } from "../file-store.ts";
import type { FileMetadata } from "../file-types.ts";
import { joinPath } from "../paths.ts";
import { dropDraft, keepDraft, readDraft } from "../text/text-draft.ts";

type NewFileProps = { store: FileStore; folder: string; onClose: (made?: FileMetadata) => void };

const draftName = "new";

/** Create a text file. The typed text survives a reload. */
export function NewFileDialog({ store, folder, onClose }: NewFileProps) {
  const { t } = useTranslation();
  const form = useForm({
    initialValues: { path: joinPath(folder, t("files.create.name")), text: readDraft(draftName)?.text ?? "" },
    onValuesChange: ({ text }) => keepDraft(draftName, { cid: "", text }),
  });
  const create = useMutation({
    mutationFn: ({ path, text }: typeof form.values) =>
      store.createText(path, text, path.endsWith(".md") ? "text/markdown" : "text/plain"),
    onSuccess: (made) => {
      dropDraft(draftName);
      onClose(made);
    },
  });
  return (
    <Dialog onClose={() => onClose()} title={t("files.create.title")} size="lg">
      <Form form={form} work={create} submit={t("files.create.submit")} onCancel={() => onClose()}>
        <TextInput label={t("files.move.path")} data-autofocus {...form.getInputProps("path")} />
        <Textarea label={t("files.create.text")} autosize minRows={6} maxRows={18} {...form.getInputProps("text")} />
      </Form>
    </Dialog>
  );
}
