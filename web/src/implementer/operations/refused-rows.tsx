import { Button, Group, Stack, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { ItemOf } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { csvRow } from "../../show/csv.ts";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { saveAs } from "../../show/save-as.ts";
import { type Column, DataTable } from "../../table/data-table.tsx";
import { useCursorRows } from "../../table/use-cursor-rows.ts";

/** The field of a row's answer that identifies it. */
export type IdColumn = "did" | "serial";

type Row = ItemOf<"/v1/operations/{id}/rows">;

/** All refused rows with their broken rules; only visible rows are in the page. */
export function RefusedRows({ id, idColumn }: { id: string; idColumn: IdColumn }) {
  const { t } = useTranslation();
  const rows = useCursorRows({
    queryKey: ["operations", id, "rows"],
    page: (at, signal) =>
      hearth.get("/v1/operations/{id}/rows", { path: { id }, query: { status: "failed", ...at }, signal }),
  });
  const columns = useMemo<Column<Row>[]>(
    () => [
      { key: "row", header: t("operation.row"), width: "4.5rem", cell: ({ index }) => index + 1 },
      { key: "why", header: t("operation.why"), width: "15rem", cell: (row) => <Why {...row} idColumn={idColumn} /> },
    ],
    [t, idColumn],
  );
  const save = useMutation({ mutationFn: () => saveRefusedRows(id, idColumn) });
  return (
    <Stack gap="xs">
      <Group>
        <Button
          variant="default"
          leftSection={<IconDownload size={18} aria-hidden />}
          loading={save.isPending}
          onClick={() => save.mutate()}
        >
          {t("operation.download")}
        </Button>
      </Group>
      {save.isError && <ErrorNotice error={save.error} />}
      <DataTable
        label={t("operation.failedRows")}
        empty={t("operation.noFailedRows")}
        rowKey={({ index }) => String(index)}
        columns={columns}
        rows={rows}
        wraps
      />
    </Stack>
  );
}

/** Download all refused rows as CSV, one line for each broken rule. */
async function saveRefusedRows(id: string, idColumn: IdColumn): Promise<void> {
  const lines = [csvRow(["row", idColumn, "field", "rule", "reason"])];
  const query = { status: "failed", limit: 500 } as const;
  for await (const { index, answer } of hearth.items("/v1/operations/{id}/rows", { path: { id }, query })) {
    const { name, message, details } = readAnswer(answer, idColumn);
    const reasons = details.length === 0 ? [{ path: "", rule: "", message }] : details;
    for (const { path, rule, message: why } of reasons) lines.push(csvRow([String(index + 1), name, path, rule, why]));
  }
  saveAs(new Blob(lines, { type: "text/csv;charset=utf-8" }), `refused-${id}.csv`);
}

function Why({ answer, idColumn }: Pick<Row, "answer"> & { idColumn: IdColumn }) {
  const { name, message, details } = readAnswer(answer, idColumn);
  return (
    <>
      {name !== "" && <Text size="sm">{name}</Text>}
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

/** Read the result of a row, whose form depends on the kind of operation. */
function readAnswer(answer: unknown, idColumn: IdColumn) {
  const { [idColumn]: name, message, details } = fieldsOf(answer);
  return {
    name: textOf(name),
    message: textOf(message),
    details: (Array.isArray(details) ? details : []).map(fieldsOf).map(({ path, rule, message: why }) => ({
      path: textOf(path),
      rule: textOf(rule),
      message: textOf(why),
    })),
  };
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
