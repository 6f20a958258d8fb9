import { Alert, Button, FileInput, Group, Progress, Stack, Text, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { sendOnce } from "../../api/attempt.ts";
import { clientWith, hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { keep, kept } from "../../session/vault.ts";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Moment } from "../../show/moment.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import type { Column } from "../../table/data-table.tsx";
import { FilteredList } from "../../table/filtered-list.tsx";
import { useCursorRows } from "../../table/use-cursor-rows.ts";
import { useList } from "../../table/use-list.ts";
import { OperationProgress } from "../operations/operation-progress.tsx";

const name = "households.import";
type Household = Schemas["Household"];

/** Import households from a file, with progress and the errors of each row, and list the registered ones. */
export function HouseholdsPage() {
  const { t } = useTranslation();
  return (
    <PageFrame title={t("nav.implementer.households")} lead={t("households.lead")}>
      <Import />
      <Title order={2} size="h4">
        {t("households.registered")}
      </Title>
      <Households />
    </PageFrame>
  );
}

function Import() {
  const { t } = useTranslation();
  const [file, setFile] = useState<File | null>(null);
  const [sent, setSent] = useState(0);
  // A reload returns to the import that was started.
  const [operationId, setOperationId] = useState(() => kept<string>(name));
  const remember = (id: string | undefined) => {
    keep(name, id);
    setOperationId(id);
  };
  const start = useMutation({
    mutationFn: async (chosen: File) => {
      setSent(0);
      const contentType = contentTypeOf(chosen.name);
      return await sendOnce(name, JSON.stringify([chosen.name, chosen.size, chosen.lastModified]), (idempotencyKey) => {
        const client = clientWith({ upload: { content: chosen, onSent: setSent } });
        return client.post("/v1/households/import", { body: chosen, contentType, idempotencyKey });
      });
    },
    onSuccess: (started) => remember(started.operationId),
  });
  if (operationId !== undefined) {
    return (
      <Stack gap="sm">
        <OperationProgress
          id={operationId}
          label={t("households.import")}
          onEnd={() => void queryClient.invalidateQueries({ queryKey: ["implementer", "households"] })}
        />
        <Group>
          <Button variant="default" onClick={() => remember(undefined)}>
            {t("households.another")}
          </Button>
        </Group>
      </Stack>
    );
  }
  return (
    <Stack gap="sm" maw={640}>
      <FileInput
        label={t("households.file")}
        description={t("households.fileHint")}
        placeholder={t("households.choose")}
        accept=".csv,.xlsx,.ndjson,.jsonl,text/csv"
        value={file}
        onChange={setFile}
        clearable
        clearButtonProps={{ "aria-label": t("common.cancel") }}
      />
      <Alert variant="light" color="gray">
        <Text size="sm" ff="monospace" style={{ overflowWrap: "anywhere" }}>
          did,account,region,men,women,children,elderly,latitude,longitude
        </Text>
      </Alert>
      <Group>
        <Button disabled={file === null} loading={start.isPending} onClick={() => file && start.mutate(file)}>
          {t("households.start")}
        </Button>
      </Group>
      {start.isPending && file !== null && <Sent bytes={sent} of={file.size} />}
      {start.isError && <ErrorNotice error={start.error} />}
    </Stack>
  );
}

const contentTypes = {
  ndjson: "application/x-ndjson",
  jsonl: "application/x-ndjson",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
} as const;

/** Content type of a file by its name; CSV for any other. */
function contentTypeOf(name: string) {
  const ending = /\.(ndjson|jsonl|xlsx)$/i.exec(name)?.[1]?.toLowerCase() as keyof typeof contentTypes | undefined;
  return ending === undefined ? "text/csv" : contentTypes[ending];
}

/** Upload progress; the server reads the whole file before it answers. */
function Sent({ bytes, of }: { bytes: number; of: number }) {
  const { t } = useTranslation();
  const percent = of === 0 ? 100 : Math.min(100, Math.floor((bytes * 100) / of));
  return (
    <Stack gap="xs">
      <Progress.Root size="lg">
        <Progress.Section value={percent} aria-label={t("households.sending")} animated={percent === 100} />
      </Progress.Root>
      {/* Screen readers can read the bar at any time; only the end is announced. */}
      <Text size="sm" {...(percent === 100 && { role: "status" })}>
        {percent < 100 ? t("households.sent", { percent }) : t("households.read")}
      </Text>
    </Stack>
  );
}

function Households() {
  const { t } = useTranslation();
  const list = useList({ filters: { region: { kind: "text", label: t("households.region") } } });
  const { region } = list.values;
  const rows = useCursorRows({
    queryKey: ["implementer", "households", region],
    page: (at, signal) => hearth.get("/v1/households", { query: { region, ...at }, signal }),
    pageSize: 200,
  });
  const columns = useMemo<Column<Household>[]>(
    () => [
      { key: "did", header: t("households.did"), cell: (row) => row.did, width: "14rem" },
      {
        key: "region",
        header: t("households.region"),
        cell: (row) => row.region ?? t("common.none"),
        width: "8rem",
      },
      {
        key: "size",
        header: t("households.size"),
        cell: ({ householdSize: size }) =>
          size === null ? t("common.none") : Object.values(size).reduce((sum, count) => sum + count, 0),
        align: "end",
        width: "6rem",
      },
      {
        key: "at",
        header: t("households.at"),
        cell: (row) => <Moment at={row.registeredAt} />,
        wideOnly: true,
      },
      {
        key: "account",
        header: t("households.account"),
        cell: (row) => t(row.account === null ? "common.no" : "common.yes"),
        width: "8rem",
        wideOnly: true,
      },
    ],
    [t],
  );
  return (
    <FilteredList
      list={list}
      label={t("households.registered")}
      empty={t("households.empty")}
      columns={columns}
      rows={rows}
      rowKey={(row) => row.did}
    />
  );
}
