import { Anchor } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { CodeValue } from "../show/code-value.tsx";
import { ErrorNotice } from "../show/error-notice.tsx";
import { Loading } from "../show/loading.tsx";
import { Moment } from "../show/moment.tsx";
import { PageFrame } from "../show/page-frame.tsx";
import { type Column, DataTable } from "../table/data-table.tsx";
import { useCursorRows } from "../table/use-cursor-rows.ts";
import { useEventKind } from "./event-kind.ts";
import type { FileStore } from "./file-store.ts";
import type { FileEvent } from "./file-types.ts";
import { useFileStore } from "./use-file-store.ts";

/** All events of the user's files with the key that caused each, newest first. */
export function ActivityPage() {
  const { t } = useTranslation();
  const { files, error } = useFileStore();
  return (
    <PageFrame title={t("files.activity.title")} lead={t("files.activity.lead")}>
      {error !== undefined && <ErrorNotice error={error} />}
      {files === undefined && error === undefined && <Loading />}
      {files !== undefined && <Activity store={files.store} />}
    </PageFrame>
  );
}

function Activity({ store }: { store: FileStore }) {
  const { t } = useTranslation();
  const rows = useCursorRows({
    queryKey: ["files", "activity", store.owner],
    page: ({ cursor }) => store.allEvents(cursor),
    staleTime: 0,
  });
  return (
    <DataTable
      label={t("files.activity.title")}
      empty={t("files.activity.empty")}
      columns={useColumns(store)}
      rows={rows}
      rowKey={({ id }) => id}
    />
  );
}

/** A file's current name; its id where it was destroyed or is hidden. */
function FileName({ store, id }: { store: FileStore; id: string }) {
  const file = useQuery({
    queryKey: ["files", "name", store.owner, id],
    queryFn: () => store.file(id),
    staleTime: 60_000,
  });
  return file.data === undefined ? (
    id
  ) : (
    <span translate="no" title={file.data.path}>
      {file.data.name}
    </span>
  );
}

function useColumns(store: FileStore): Column<FileEvent>[] {
  const { t } = useTranslation();
  const kindOf = useEventKind();
  return [
    { key: "at", header: t("files.events.at"), width: "11rem", cell: ({ at }) => <Moment at={at} /> },
    { key: "kind", header: t("files.events.kind"), width: "13rem", cell: ({ kind }) => kindOf(kind) },
    {
      key: "file",
      header: t("files.activity.file"),
      width: "13rem",
      cell: ({ fileId, version }) =>
        fileId === undefined ? null : (
          <Anchor component={Link} to="/files/browse" search={{ file: fileId } as never} size="sm" truncate>
            <FileName store={store} id={fileId} />
            {version !== undefined && ` · ${t("files.details.version", { version })}`}
          </Anchor>
        ),
    },
    {
      key: "by",
      header: t("files.events.by"),
      width: "12rem",
      wideOnly: true,
      cell: ({ invoker }) =>
        invoker === undefined ? null : invoker === store.owner ? (
          t("files.activity.you")
        ) : (
          <CodeValue value={invoker} shorten />
        ),
    },
    {
      key: "run",
      header: t("files.activity.run"),
      width: "10rem",
      wideOnly: true,
      cell: ({ runId }) => (runId === undefined ? null : <CodeValue value={runId} shorten />),
    },
  ];
}
