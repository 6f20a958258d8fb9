import { Button, Group, Stack, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../show/dialog.tsx";
import { ErrorNotice } from "../show/error-notice.tsx";
import type { FileStore } from "./file-store.ts";
import type { FileMetadata, VersionEntry } from "./file-types.ts";

type LabelProps = { store: FileStore; file: FileMetadata; version: VersionEntry; onClose: (changed: boolean) => void };

/** Gives a version a name, or takes it away. */
export function LabelDialog({ store, file, version, onClose }: LabelProps) {
  const { t } = useTranslation();
  const [label, setLabel] = useState(version.label ?? "");
  const write = useMutation({
    mutationFn: () => store.label(file.id, version.version, { label: label.trim() || null }),
    onSuccess: () => onClose(true),
  });
  return (
    <Dialog title={t("files.label.title", { version: version.version })} onClose={() => onClose(false)}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          write.mutate();
        }}
      >
        <Stack>
          <TextInput
            label={t("files.label.name")}
            description={t("files.label.hint")}
            value={label}
            onChange={(event) => setLabel(event.currentTarget.value)}
            data-autofocus
          />
          {write.error !== null && <ErrorNotice error={write.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={() => onClose(false)}>
              {t("common.cancel")}
            </Button>
            <Button type="submit" loading={write.isPending}>
              {t("common.save")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
