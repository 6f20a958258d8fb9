import { Button, Group, NumberInput, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../show/dialog.tsx";
import { ErrorNotice } from "../show/error-notice.tsx";
import type { FileStore } from "./file-store.ts";
import type { FileMetadata, VersionEntry } from "./file-types.ts";
import { prunedBy } from "./pruned-by.ts";

type PruneProps = {
  store: FileStore;
  file: FileMetadata;
  versions: readonly VersionEntry[];
  onClose: (pruned: boolean) => void;
};

/** Destroys old versions, after naming each that goes. Pinned ones and the newest stay. */
export function PruneDialog({ store, file, versions, onClose }: PruneProps) {
  const { t, i18n } = useTranslation();
  const [keep, setKeep] = useState<number>(10);
  const prune = useMutation({ mutationFn: () => store.prune(file, keep), onSuccess: () => onClose(true) });
  const going = prunedBy(versions, keep);
  const names = new Intl.ListFormat(i18n.language, { type: "conjunction" }).format(
    going.map(({ version, label }) => (label === undefined ? String(version) : `${version} (${label})`)),
  );
  return (
    <Dialog title={t("files.prune.title", { name: file.name })} onClose={() => onClose(false)}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          prune.mutate();
        }}
      >
        <Stack>
          <NumberInput
            label={t("files.prune.keep")}
            description={t("files.prune.hint")}
            value={keep}
            onChange={(value) => typeof value === "number" && setKeep(value)}
            min={1}
            max={50}
            allowDecimal={false}
            clampBehavior="strict"
            data-autofocus
          />
          <Text role="status">
            {going.length === 0
              ? t("files.prune.none")
              : t("files.prune.going", { count: going.length, versions: names })}
          </Text>
          {prune.error !== null && <ErrorNotice error={prune.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={() => onClose(false)}>
              {t("common.cancel")}
            </Button>
            <Button type="submit" color="red" disabled={going.length === 0} loading={prune.isPending}>
              {t("files.purge.submit")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
