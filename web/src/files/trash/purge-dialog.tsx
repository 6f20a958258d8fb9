import { Button, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ConfirmForm } from "../../forms/confirm-form.tsx";
import { CodeValue } from "../../show/code-value.tsx";
import { Dialog } from "../../show/dialog.tsx";
import type { FileStore } from "../file-store.ts";
import type { FileMetadata } from "../file-types.ts";

type PurgeProps = { store: FileStore; file: FileMetadata; onClose: (purged: boolean) => void };

/** Destroy a file after its name was typed, and show the signed receipt. */
export function PurgeDialog({ store, file, onClose }: PurgeProps) {
  const { t } = useTranslation();
  const purge = useMutation({ mutationFn: () => store.purge(file.id) });
  const isDone = purge.data !== undefined;
  return (
    <Dialog onClose={() => onClose(isDone)} title={t("files.purge.title", { name: file.name })}>
      {purge.data === undefined ? (
        <ConfirmForm
          work={purge}
          submit={t("files.purge.submit")}
          typed={{ text: file.name.trim(), label: t("files.purge.type", { name: file.name }) }}
          onCancel={() => onClose(false)}
        >
          <Text>{t("files.purge.lead")}</Text>
        </ConfirmForm>
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
