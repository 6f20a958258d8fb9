import { Button, Group } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { queryClient } from "../../api/query-client.ts";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { Moment } from "../../show/moment.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { type Column, DataTable } from "../../table/data-table.tsx";
import { useCursorRows } from "../../table/use-cursor-rows.ts";
import type { FileStore } from "../file-store.ts";
import type { FileMetadata } from "../file-types.ts";
import { formatBytes } from "../format-bytes.ts";
import { useFileStore } from "../use-file-store.ts";
import { allOf } from "./all-files.ts";
import { BatchDialog } from "./batch-dialog.tsx";
import { PurgeDialog } from "./purge-dialog.tsx";

/** The files in the trash: restore them with their history, or destroy them permanently. */
export function TrashPage() {
  const { t } = useTranslation();
  const { files, error } = useFileStore();
  return (
    <PageFrame title={t("files.trash.title")} lead={t("files.trash.lead")}>
      {error !== undefined && <ErrorNotice error={error} />}
      {files === undefined ? <Loading /> : <Trash store={files.store} />}
    </PageFrame>
  );
}

function Trash({ store }: { store: FileStore }) {
  const { t, i18n } = useTranslation();
  const [purging, setPurging] = useState<FileMetadata>();
  const [isEmptying, setEmptying] = useState(false);
  const queryKey = ["files", "trash", store.owner];
  const rows = useCursorRows({ queryKey, page: ({ cursor }) => store.trashed(cursor), staleTime: 0 });
  const refresh = () => queryClient.invalidateQueries({ queryKey });
  const restore = useMutation({ mutationFn: (id: string) => store.restore(id), onSuccess: refresh });
  const columns: Column<FileMetadata>[] = [
    { key: "path", header: t("files.details.path"), cell: (file) => file.path, width: "14rem" },
    {
      key: "size",
      header: t("files.details.size"),
      cell: ({ size }) => formatBytes(size, i18n.language),
      width: "6rem",
      wideOnly: true,
    },
    {
      key: "at",
      header: t("files.trash.at"),
      cell: ({ trashedAt = 0 }) => <Moment at={trashedAt} />,
      width: "11rem",
      wideOnly: true,
    },
    {
      key: "actions",
      header: t("files.versions.actions"),
      width: "15rem",
      cell: (file) => (
        <Group gap="xs" wrap="nowrap">
          <Button
            size="compact-sm"
            variant="default"
            loading={restore.isPending}
            onClick={() => restore.mutate(file.id)}
          >
            {t("files.trash.restore")}
          </Button>
          <Button size="compact-sm" variant="light" color="red" onClick={() => setPurging(file)}>
            {t("files.purge.open")}
          </Button>
        </Group>
      ),
    },
  ];
  return (
    <>
      {restore.error !== null && <ErrorNotice error={restore.error} />}
      {(rows.total ?? 0) > 0 && (
        <Button variant="light" color="red" style={{ alignSelf: "flex-start" }} onClick={() => setEmptying(true)}>
          {t("files.trash.empty")}
        </Button>
      )}
      {isEmptying && (
        <BatchDialog
          queryKey={["files", "trashed", store.owner]}
          read={() => allOf((cursor) => store.trashed(cursor))}
          work={(ids) => store.purgeMany(ids)}
          texts={{
            title: t("files.trash.empty"),
            lead: t("files.trash.emptyLead"),
            submit: t("files.purge.submit"),
          }}
          isFinal
          onClose={() => {
            setEmptying(false);
            void refresh();
          }}
        />
      )}
      <DataTable
        label={t("files.trash.title")}
        empty={t("files.trash.none")}
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
      />
      {purging !== undefined && (
        <PurgeDialog
          store={store}
          file={purging}
          onClose={(purged) => {
            setPurging(undefined);
            if (purged) void refresh();
          }}
        />
      )}
    </>
  );
}
