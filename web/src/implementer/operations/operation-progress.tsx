import { Alert, List, Progress, Stack, Text } from "@mantine/core";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { type Column, DataTable } from "../../table/data-table.tsx";
import { useCursorRows } from "../../table/use-cursor-rows.ts";
import { hasEnded, type Operation, useOperation } from "./use-operation.ts";

type OperationProgressProps = { id: string; label: string; onEnd?: (operation: Operation) => void };

/** How far long work is, what failed as a whole, and every row that was refused with its rules. */
export function OperationProgress({ id, label, onEnd }: OperationProgressProps) {
  const { t } = useTranslation();
  const { data, error, refetch } = useOperation(id);
  const report = useRef(onEnd);
  report.current = onEnd;
  const isOver = data !== undefined && hasEnded(data);
  useEffect(() => {
    if (isOver) report.current?.(data);
  }, [isOver, data]);
  if (data === undefined) {
    return error === null ? <Loading /> : <ErrorNotice error={error} onRetry={() => void refetch()} />;
  }
  const { progress, status } = data;
  const percent = progress.total === 0 ? (isOver ? 100 : 0) : Math.floor((progress.done * 100) / progress.total);
  return (
    <Stack gap="sm">
      <Progress.Root size="lg">
        <Progress.Section
          value={percent}
          aria-label={label}
          animated={!isOver}
          color={status === "failed" ? "red" : "teal"}
        />
      </Progress.Root>
      <Text size="sm" role="status">
        {t(`implementer.operation.${status}`)}: {t("implementer.operation.progress", progress)}
      </Text>
      {data.error !== undefined && <Failure error={data.error} />}
      {isOver && progress.failed > 0 && <FailedRows id={id} />}
    </Stack>
  );
}

function Failure({ error }: { error: NonNullable<Operation["error"]> }) {
  return (
    <Alert color="red" role="alert" title={error.message}>
      <List size="sm">
        {error.details?.map(({ path, rule, message }) => (
          <List.Item key={`${path} ${rule}`}>{message}</List.Item>
        ))}
      </List>
    </Alert>
  );
}

type FailedRow = {
  index: number;
  answer: { did?: string | null; message?: string; details?: { path?: string; rule: string; message: string }[] };
};

function FailedRows({ id }: { id: string }) {
  const { t } = useTranslation();
  const rows = useCursorRows<FailedRow>({
    queryKey: ["operations", id, "rows"],
    path: `/v1/operations/${encodeURIComponent(id)}/rows`,
    query: { status: "failed" },
  });
  const columns: Column<FailedRow>[] = [
    { key: "row", header: t("implementer.operation.row"), cell: ({ index }) => index + 1, width: "4rem", align: "end" },
    { key: "what", header: t("implementer.operation.what"), cell: ({ answer }) => answer.did ?? "", width: "12rem" },
    { key: "why", header: t("implementer.operation.why"), cell: ({ answer }) => reasonsOf(answer), width: "22rem" },
    {
      key: "rules",
      header: t("implementer.operation.rules"),
      cell: ({ answer }) => answer.details?.map(({ rule }) => rule).join(", ") ?? "",
      wideOnly: true,
    },
  ];
  return (
    <DataTable
      label={t("implementer.operation.failedRows")}
      columns={columns}
      rows={rows}
      rowKey={(row) => `${row.index}`}
    />
  );
}

function reasonsOf({ message = "", details = [] }: FailedRow["answer"]): string {
  const reasons = details.map((each) => (each.path ? `${each.path}: ${each.message}` : each.message));
  return reasons.length === 0 ? message : reasons.join(" ");
}
