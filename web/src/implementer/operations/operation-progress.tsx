import { Alert, Button, List, Progress, Stack, Table, Text } from "@mantine/core";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
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
  const {
    at,
    show,
    total = 0,
    error,
    retry,
  } = useCursorRows<FailedRow>({
    queryKey: ["operations", id, "rows"],
    path: `/v1/operations/${encodeURIComponent(id)}/rows`,
    query: { status: "failed" },
  });
  if (error !== null) return <ErrorNotice error={error} onRetry={retry} />;
  const rows = Array.from({ length: total }, (_, index) => at(index)).filter((row) => row !== undefined);
  return (
    <Stack gap="xs">
      <Table.ScrollContainer minWidth={260} maxHeight={420} type="native" tabIndex={0}>
        <Table aria-label={t("implementer.operation.failedRows")} striped verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("implementer.operation.row")}</Table.Th>
              <Table.Th>{t("implementer.operation.why")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <RefusedRow key={row.index} row={row} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {rows.length < total && (
        <Button variant="default" onClick={() => show(0, total)}>
          {t("implementer.operation.more")}
        </Button>
      )}
    </Stack>
  );
}

function RefusedRow({ row: { index, answer } }: { row: FailedRow }) {
  const { did, message = "", details = [] } = answer;
  return (
    <Table.Tr>
      <Table.Td valign="top">{index + 1}</Table.Td>
      <Table.Td style={{ overflowWrap: "anywhere" }}>
        {did && <Text size="sm">{did}</Text>}
        {details.length === 0 && <Text size="sm">{message}</Text>}
        {details.map(({ path, rule, message: why }) => (
          <Text size="sm" key={`${path} ${rule}`}>
            {path && <strong>{path}: </strong>}
            {why}{" "}
            <Text span size="xs" ff="monospace">
              {rule}
            </Text>
          </Text>
        ))}
      </Table.Td>
    </Table.Tr>
  );
}
