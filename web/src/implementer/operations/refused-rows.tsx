import { Text } from "@mantine/core";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { type Column, DataTable } from "../../table/data-table.tsx";
import { useCursorRows } from "../../table/use-cursor-rows.ts";

type RefusedRow = {
  index: number;
  answer: { did?: string | null; message?: string; details?: { path?: string; rule: string; message: string }[] };
};

/** Every row that was refused with its rules, however many: only those in sight are in the page. */
export function RefusedRows({ id }: { id: string }) {
  const { t } = useTranslation();
  const rows = useCursorRows<RefusedRow>({
    queryKey: ["operations", id, "rows"],
    path: `/v1/operations/${encodeURIComponent(id)}/rows`,
    query: { status: "failed" },
  });
  const columns = useMemo<Column<RefusedRow>[]>(
    () => [
      { key: "row", header: t("implementer.operation.row"), width: "4.5rem", cell: ({ index }) => index + 1 },
      { key: "why", header: t("implementer.operation.why"), width: "15rem", cell: (row) => <Why {...row} /> },
    ],
    [t],
  );
  return (
    <DataTable
      label={t("implementer.operation.failedRows")}
      empty={t("implementer.operation.noFailedRows")}
      rowKey={({ index }) => String(index)}
      {...{ columns, rows }}
      wraps
    />
  );
}

function Why({ answer: { did, message = "", details = [] } }: RefusedRow) {
  return (
    <>
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
    </>
  );
}
