import { Alert, List, Progress, Stack, Text } from "@mantine/core";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { hasEnded, type Operation } from "../../api/operation.ts";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { type IdColumn, RefusedRows } from "./refused-rows.tsx";
import { useOperation } from "./use-operation.ts";

type OperationProgressProps = {
  id: string;
  label: string;
  /** The column that identifies a refused row. Absent: did. */
  idColumn?: IdColumn;
  onEnd?: (operation: Operation) => void;
};

/** Progress or failure of an operation, and each refused row with its broken rules. */
export function OperationProgress({ id, label, idColumn = "did", onEnd }: OperationProgressProps) {
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
        {t(`operation.${status}`)}: {t("operation.progress", progress)}
      </Text>
      {data.error !== undefined && <Failure error={data.error} />}
      {isOver && progress.failed > 0 && <RefusedRows id={id} idColumn={idColumn} />}
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
