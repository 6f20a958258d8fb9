import { Button, Group, Stack, Textarea, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../show/dialog.tsx";
import { ErrorNotice } from "../show/error-notice.tsx";
import type { FileStore } from "./file-store.ts";
import type { FileMetadata } from "./file-types.ts";
import { joinPath } from "./paths.ts";
import { dropDraft, keepDraft, readDraft } from "./text-draft.ts";

type NewFileProps = { store: FileStore; folder: string; onClose: (made?: FileMetadata) => void };

const draftName = "new";

/** Writes a new text file. What is typed survives a reload. */
export function NewFileDialog({ store, folder, onClose }: NewFileProps) {
  const { t } = useTranslation();
  const [path, setPath] = useState(joinPath(folder, t("files.create.name")));
  const [text, setText] = useState(() => readDraft(draftName)?.text ?? "");
  const create = useMutation({
    mutationFn: () => store.createText(path, text, path.endsWith(".md") ? "text/markdown" : "text/plain"),
    onSuccess: (made) => {
      dropDraft(draftName);
      onClose(made);
    },
  });
  return (
    <Dialog onClose={() => onClose()} title={t("files.create.title")} size="lg">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <Stack>
          <TextInput
            label={t("files.move.path")}
            value={path}
            onChange={(event) => setPath(event.currentTarget.value)}
            data-autofocus
          />
          <Textarea
            label={t("files.create.text")}
            value={text}
            onChange={(event) => {
              setText(event.currentTarget.value);
              keepDraft(draftName, { cid: "", text: event.currentTarget.value });
            }}
            autosize
            minRows={6}
            maxRows={18}
          />
          {create.error !== null && <ErrorNotice error={create.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={() => onClose()}>
              {t("common.cancel")}
            </Button>
            <Button type="submit" loading={create.isPending}>
              {t("files.create.submit")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
