import type { IAttachment } from "@hearth/oracles-client-sdk";
import { TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useFileStore } from "../files/use-file-store.ts";
import { Form } from "../forms/form.tsx";
import { Dialog } from "../show/dialog.tsx";

type AttachmentProps = { onAttach: (attachment: IAttachment) => void; onClose: () => void };

/** Attach one of the user's files to a message, by its path. */
export function AttachmentDialog({ onAttach, onClose }: AttachmentProps) {
  const { t } = useTranslation();
  const { files } = useFileStore();
  const form = useForm({ initialValues: { path: "/" } });
  const attach = useMutation({
    mutationFn: async ({ path }: typeof form.values) => {
      const file = await files?.store.at(path.normalize("NFC"));
      if (file === undefined) throw new Error(t("chat.attach.missing", { path }));
      return { mxcUri: `vfs:${file.path}`, filename: file.name, mimetype: file.mimeType, size: file.size };
    },
    onSuccess: (attachment) => {
      onAttach(attachment);
      onClose();
    },
  });
  return (
    <Dialog title={t("chat.attach.title")} onClose={onClose}>
      <Form
        form={form}
        work={attach}
        submit={t("chat.attach.submit")}
        canSubmit={files !== undefined}
        onCancel={onClose}
      >
        <TextInput
          label={t("chat.attach.path")}
          description={t("chat.attach.hint")}
          data-autofocus
          {...form.getInputProps("path")}
        />
      </Form>
    </Dialog>
  );
}
