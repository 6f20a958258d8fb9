import { ActionIcon, Badge, Button, Group, Stack, Table, Text, Tooltip } from "@mantine/core";
import { IconArrowBackUp, IconDownload, IconGitCompare, IconPin, IconPinFilled, IconTag } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { Moment } from "../../show/moment.tsx";
import { saveAs } from "../../show/save-as.ts";
import { WideTable } from "../../show/wide-table.tsx";
import type { FileStore } from "../file-store.ts";
import type { FileMetadata, VersionEntry } from "../file-types.ts";
import { formatBytes } from "../format-bytes.ts";
import { DiffView } from "../text/diff-view.tsx";
import { LabelDialog } from "./label-dialog.tsx";
import { PruneDialog } from "./prune-dialog.tsx";

type VersionsProps = { store: FileStore; file: FileMetadata; onChanged: (file: FileMetadata) => void };

/** All kept versions: compare with the head, download, pin, restore. */
export function VersionsView({ store, file, onChanged }: VersionsProps) {
  const { t } = useTranslation();
  const [compared, setCompared] = useState<number>();
  const [dialog, setDialog] = useState<"prune" | VersionEntry>();
  const list = useQuery({
    queryKey: ["files", "versions", store.owner, file.id, file.version],
    queryFn: () => store.versions(file.id),
  });
  const restore = useMutation({
    mutationFn: (version: number) => store.restoreVersion(file.id, version),
    onSuccess: (restored) => {
      setCompared(undefined);
      onChanged(restored);
    },
  });
  if (list.error !== null) return <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />;
  if (list.data === undefined) return <Loading />;
  const { versions, count, cap } = list.data;
  const closed = (changed: boolean) => {
    setDialog(undefined);
    if (!changed) return;
    setCompared(undefined);
    void list.refetch();
  };
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {t("files.versions.count", { count, cap })}
        </Text>
        {count > 1 && (
          <Button size="compact-sm" variant="default" color="red" onClick={() => setDialog("prune")}>
            {t("files.prune.open")}
          </Button>
        )}
      </Group>
      <WideTable label={t("files.versions.title")} minWidth={560}>
        <Table verticalSpacing={4} aria-label={t("files.versions.title")}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("files.versions.version")}</Table.Th>
              <Table.Th>{t("files.versions.written")}</Table.Th>
              <Table.Th>{t("files.details.size")}</Table.Th>
              <Table.Th>{t("files.versions.actions")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {versions.map((version) => (
              <VersionRow
                key={version.version}
                {...{ store, file, version }}
                isCompared={compared === version.version}
                isRestoring={restore.isPending}
                onCompare={() => setCompared(compared === version.version ? undefined : version.version)}
                onRestore={() => restore.mutate(version.version)}
                onMarked={() => void list.refetch()}
                onLabel={() => setDialog(version)}
              />
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
      {restore.error !== null && <ErrorNotice error={restore.error} />}
      {compared !== undefined && <Comparison {...{ store, file }} from={compared} />}
      {dialog === "prune" && <PruneDialog {...{ store, file, versions }} onClose={closed} />}
      {typeof dialog === "object" && <LabelDialog {...{ store, file }} version={dialog} onClose={closed} />}
    </Stack>
  );
}

type RowProps = {
  store: FileStore;
  file: FileMetadata;
  version: VersionEntry;
  isCompared: boolean;
  isRestoring: boolean;
  onCompare: () => void;
  onRestore: () => void;
  onMarked: () => void;
  onLabel: () => void;
};

function VersionRow({ store, file, version: entry, isCompared, isRestoring, ...on }: RowProps) {
  const { t, i18n } = useTranslation();
  const { version, current, pinned = false, label, createdAt, size } = entry;
  const download = useMutation({
    mutationFn: async () => saveAs(await (await store.content(file.id, version)).blob(), file.name),
  });
  const pin = useMutation({
    mutationFn: () => store.label(file.id, version, { pinned: !pinned }),
    onSuccess: on.onMarked,
  });
  const action = (key: "download" | "pin" | "unpin" | "label", icon: React.ReactNode, run: () => void) => (
    <Tooltip label={t(`files.versions.${key}`)}>
      <ActionIcon variant="subtle" onClick={run} aria-label={`${t(`files.versions.${key}`)}: ${version}`}>
        {icon}
      </ActionIcon>
    </Tooltip>
  );
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap={6} wrap="nowrap">
          {version}
          {current && (
            <Badge variant="outline" tt="none" style={{ flexShrink: 0 }}>
              {t("files.versions.current")}
            </Badge>
          )}
          {label !== undefined && <Text size="xs">{label}</Text>}
        </Group>
      </Table.Td>
      <Table.Td>
        <Moment at={createdAt} />
      </Table.Td>
      <Table.Td>{formatBytes(size, i18n.language)}</Table.Td>
      <Table.Td>
        <Group gap={4} wrap="nowrap">
          {action("download", <IconDownload size={16} />, () => download.mutate())}
          {action(pinned ? "unpin" : "pin", pinned ? <IconPinFilled size={16} /> : <IconPin size={16} />, () =>
            pin.mutate(),
          )}
          {action("label", <IconTag size={16} />, on.onLabel)}
          {!current && (
            <>
              <Button
                size="compact-sm"
                variant={isCompared ? "filled" : "default"}
                aria-pressed={isCompared}
                leftSection={<IconGitCompare size={14} aria-hidden />}
                onClick={on.onCompare}
              >
                {t("files.versions.compare")}
              </Button>
              <Button
                size="compact-sm"
                variant="default"
                loading={isRestoring}
                leftSection={<IconArrowBackUp size={14} aria-hidden />}
                onClick={on.onRestore}
              >
                {t("files.versions.restore")}
              </Button>
            </>
          )}
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}

function Comparison({ store, file, from }: { store: FileStore; file: FileMetadata; from: number }) {
  const { t } = useTranslation();
  const diff = useQuery({
    queryKey: ["files", "diff", store.owner, file.id, from, file.version],
    queryFn: () => store.diff(file.id, from, file.version),
  });
  const label = t("files.diff.title", { from, to: file.version });
  return (
    <Stack gap="xs">
      <Text fw={600}>{label}</Text>
      {diff.error !== null && <ErrorNotice error={diff.error} />}
      {diff.isPending && <Loading />}
      {diff.data && <DiffView unified={diff.data.diff} label={label} />}
    </Stack>
  );
}
