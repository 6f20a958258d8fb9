import { TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Form } from "../../forms/form.tsx";
import { Dialog } from "../../show/dialog.tsx";
import type { FileStore } from "../file-store.ts";
import type { FileMetadata } from "../file-types.ts";

type MoveProps = { store: FileStore; file: FileMetadata; onClose: (moved?: FileMetadata) => void };

/** Move or rename a file; its history is kept. */
export function MoveDialog({ store, file, onClose }: MoveProps) {
  const { t } = useTranslation();
  const form = useForm({ initialValues: { path: file.path } });
  const move = useMutation({
    mutationFn: async ({ path }: typeof form.values) => {
      await store.move(file, path);
      return await store.file(file.id);
    },
    onSuccess: onClose,
  });
  return (
    <Dialog onClose={() => onClose()} title={t("files.move.title")}>
      <Form
        form={form}
        work={move}
        submit={t("files.move.submit")}
        canSubmit={form.values.path !== file.path}
        onCancel={() => onClose()}
      >
        <TextInput
          label={t("files.move.path")}
          description={t("files.move.hint")}
          data-autofocus
          {...form.getInputProps("path")}
        />
      </Form>
    </Dialog>
  );
}
