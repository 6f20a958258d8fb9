import { Button, Group, Stack, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../show/dialog.tsx";
import { ErrorNotice } from "../show/error-notice.tsx";
import type { FileStore } from "./file-store.ts";
import type { FileMetadata } from "./file-types.ts";

type MoveProps = { store: FileStore; file: FileMetadata; onClose: (moved?: FileMetadata) => void };

/** Moves or renames a file; its history goes along. */
export function MoveDialog({ store, file, onClose }: MoveProps) {
  const { t } = useTranslation();
  const [path, setPath] = useState(file.path);
  const move = useMutation({
    mutationFn: async () => {
      await store.move(file, path);
      return await store.file(file.id);
    },
    onSuccess: onClose,
  });
  return (
    <Dialog onClose={() => onClose()} title={t("files.move.title")}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          move.mutate();
        }}
      >
        <Stack>
          <TextInput
            label={t("files.move.path")}
            description={t("files.move.hint")}
            value={path}
            onChange={(event) => setPath(event.currentTarget.value)}
            data-autofocus
          />
          {move.error !== null && <ErrorNotice error={move.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={() => onClose()}>
              {t("common.cancel")}
            </Button>
            <Button type="submit" disabled={path === file.path} loading={move.isPending}>
              {t("files.move.submit")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
