import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { CodeValue } from "../show/code-value.tsx";
import { Dialog } from "../show/dialog.tsx";
import { ErrorNotice } from "../show/error-notice.tsx";
import type { FileStore } from "./file-store.ts";
import type { FileMetadata } from "./file-types.ts";

type PurgeProps = { store: FileStore; file: FileMetadata; onClose: (purged: boolean) => void };

/** Destroys a file after its name was typed, and shows the signed receipt. */
export function PurgeDialog({ store, file, onClose }: PurgeProps) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState("");
  const purge = useMutation({ mutationFn: () => store.purge(file.id) });
  const isDone = purge.data !== undefined;
  return (
    <Dialog onClose={() => onClose(isDone)} title={t("files.purge.title", { name: file.name })}>
      {purge.data === undefined ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            purge.mutate();
          }}
        >
          <Stack>
            <Text>{t("files.purge.lead")}</Text>
            <TextInput
              label={t("files.purge.type", { name: file.name })}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              autoComplete="off"
              data-autofocus
            />
            {purge.error !== null && <ErrorNotice error={purge.error} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={() => onClose(false)}>
                {t("common.cancel")}
              </Button>
              <Button type="submit" color="red" disabled={typed !== file.name} loading={purge.isPending}>
                {t("files.purge.submit")}
              </Button>
            </Group>
          </Stack>
        </form>
      ) : (
        <Stack>
          <Text>{t(purge.data.pending ? "files.purge.pending" : "files.purge.done")}</Text>
          <CodeValue value={purge.data.receipt} shorten />
          <Button onClick={() => onClose(true)}>{t("common.close")}</Button>
        </Stack>
      )}
    </Dialog>
  );
}
