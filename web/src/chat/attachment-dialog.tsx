import type { IAttachment } from "@hearth/oracles-client-sdk";
import { Button, Group, Stack, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useFileStore } from "../files/use-file-store.ts";
import { Dialog } from "../show/dialog.tsx";
import { ErrorNotice } from "../show/error-notice.tsx";

type AttachmentProps = { onAttach: (attachment: IAttachment) => void; onClose: () => void };

/** Lets a message carry one of the person's own files, by its path. */
export function AttachmentDialog({ onAttach, onClose }: AttachmentProps) {
  const { t } = useTranslation();
  const { files } = useFileStore();
  const [path, setPath] = useState("/");
  const attach = useMutation({
    mutationFn: async () => {
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
      <form
        onSubmit={(event) => {
          event.preventDefault();
          attach.mutate();
        }}
      >
        <Stack>
          <TextInput
            label={t("chat.attach.path")}
            description={t("chat.attach.hint")}
            value={path}
            onChange={(event) => setPath(event.currentTarget.value)}
            data-autofocus
          />
          {attach.error !== null && <ErrorNotice error={attach.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t("common.cancel")}
            </Button>
            <Button type="submit" disabled={files === undefined} loading={attach.isPending}>
              {t("chat.attach.submit")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
