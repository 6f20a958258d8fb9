import { Button, Group, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { EmptyNotice } from "../show/empty-notice.tsx";
import { ErrorNotice } from "../show/error-notice.tsx";
import type { Column, Sort } from "./column.ts";
import { DownloadMenu } from "./export/download-menu.tsx";
import { Grid } from "./grid.tsx";
import type { Rows } from "./rows.ts";

export type { Column } from "./column.ts";

export type DataTableProps<Row> = {
  /** Name of the table for screen readers. */
  label: string;
  columns: Column<Row>[];
  rows: Rows<Row>;
  rowKey: (row: Row) => string;
  /** Action when a row is pressed; the first cell needs a link or button that does the same. */
  onOpen?: (row: Row) => void;
  sort?: Sort;
  onSort?: (sort: Sort) => void;
  /** Shown when there are no rows: who creates one, and where. */
  empty: string;
  /** Given while filters are set: clears them. */
  onClearFilters?: (() => void) | undefined;
  /** The first row in view when the table opens, from 0. */
  place?: number;
  /** Called with the first row in view when scrolling has stopped. */
  onPlace?: (place: number) => void;
  /** True: texts wrap, and rows differ in height. */
  wraps?: boolean;
};

/** Firefox shows nothing beyond 17.9 million px. */
const mostRows = 400_000;
/** Number of placeholder rows while rows are loading. */
const [placesAtFirst, placesForMore] = [8, 3];

/** A table of any length: only visible rows are in the page, and only their pages are fetched. */
export function DataTable<Row>({ onClearFilters, empty, ...props }: DataTableProps<Row>) {
  const { t } = useTranslation();
  const { total, hasMore, error, retry } = props.rows;
  if (error !== null && total === undefined) return <ErrorNotice error={error} onRetry={retry} />;
  if (total === 0 && !hasMore) {
    return (
      <EmptyNotice text={onClearFilters === undefined ? empty : t("common.table.noMatch")}>
        {onClearFilters && (
          <Button variant="default" onClick={onClearFilters}>
            {t("common.table.clearFilters")}
          </Button>
        )}
      </EmptyNotice>
    );
  }
  const places = Math.min(mostRows, (total ?? placesAtFirst) + (hasMore && total !== undefined ? placesForMore : 0));
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed" role="status">
          {total === undefined
            ? t("common.loading")
            : t(hasMore ? "common.table.rowsSoFar" : "common.table.rows", { count: total })}
          {total !== undefined && total > mostRows && ` ${t("common.table.most", { count: mostRows })}`}
        </Text>
        <DownloadMenu label={props.label} columns={props.columns} rows={props.rows} rowKey={props.rowKey} />
      </Group>
      {error !== null && <ErrorNotice error={error} onRetry={retry} />}
      <Grid {...props} places={places} />
    </Stack>
  );
}
