// biome-ignore-all lint/a11y/useSemanticElements: rows are placed by a grid, which takes a table element's meaning away
// biome-ignore-all lint/a11y/noNoninteractiveTabindex: who has only a keyboard scrolls the rows, too
// biome-ignore-all lint/a11y/useFocusableInteractive: what can be pressed are the buttons and links within
import { Button, Stack, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { EmptyNotice } from "../show/empty-notice.tsx";
import { ErrorNotice } from "../show/error-notice.tsx";
import classes from "./data-table.module.css";
import type { Rows } from "./rows.ts";
import type { Sort } from "./use-index-rows.ts";

export type Column<Row> = {
  key: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** Width of the column in rem; 10rem when absent. What is left over is shared in the same proportion. */
  width?: string;
  /** `end` for numbers. */
  align?: "end";
  /** True: left out on a phone. */
  wideOnly?: boolean;
  /** Name of the field that a press on the header sorts by; absent: it does not. */
  sortBy?: string;
};

export type DataTableProps<Row> = {
  /** What the table lists, for those who do not see it. */
  label: string;
  columns: Column<Row>[];
  rows: Rows<Row>;
  rowKey: (row: Row) => string;
  /** What a press on a row does; give its first cell a link or button that does the same. */
  onOpen?: (row: Row) => void;
  sort?: Sort;
  onSort?: (sort: Sort) => void;
  /** Given while filters are set: takes them off. */
  onClearFilters?: (() => void) | undefined;
};

const rowHeight = 44;

/** A table of any length: only the rows in sight are in the page, and only their pages are fetched. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, rows, onClearFilters } = props;
  const { t } = useTranslation();
  const { total, error, retry } = rows;
  if (error !== null) return <ErrorNotice error={error} onRetry={retry} />;
  if (total === 0) {
    return (
      <EmptyNotice text={t(onClearFilters === undefined ? "common.table.empty" : "common.table.noMatch")}>
        {onClearFilters && (
          <Button variant="default" onClick={onClearFilters}>
            {t("common.table.clearFilters")}
          </Button>
        )}
      </EmptyNotice>
    );
  }
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed" role="status">
        {total === undefined ? t("common.loading") : t("common.table.rows", { count: total })}
      </Text>
      <Grid {...props} label={label} total={total ?? 8} />
    </Stack>
  );
}

function Grid<Row>({ total, ...props }: DataTableProps<Row> & { total: number }) {
  const { label, rows, rowKey, onOpen } = props;
  const isWide = useMediaQuery("(min-width: 48em)", true, { getInitialValueInEffect: false });
  const columns = props.columns.filter(({ wideOnly }) => isWide || !wideOnly);
  const template = columns.map(({ width = "10rem" }) => `minmax(${width}, ${Number.parseFloat(width)}fr)`).join(" ");
  const frame = useRef<HTMLElement>(null);
  const virtualizer = useVirtualizer({
    count: total,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  });
  const items = virtualizer.getVirtualItems();
  const from = items[0]?.index ?? 0;
  const to = (items.at(-1)?.index ?? 0) + 1;
  const { show } = rows;
  useEffect(() => show(from, to), [show, from, to]);
  return (
    <section
      ref={frame}
      className={classes.frame}
      style={{ height: (total + 1) * rowHeight + 2 }}
      tabIndex={0}
      aria-label={label}
    >
      <div role="table" className={classes.table} aria-label={label} aria-rowcount={total + 1}>
        <HeadRow {...props} columns={columns} template={template} />
        <div role="rowgroup" className={classes.body} style={{ height: virtualizer.getTotalSize() }}>
          {items.map(({ index, start }) => {
            const row = rows.at(index);
            return (
              <BodyRow
                key={row === undefined ? index : rowKey(row)}
                {...{ row, index, start, columns, template, ...(onOpen === undefined ? {} : { onOpen }) }}
              />
            );
          })}
        </div>
      </div>
    </section>
  );
}

type RowProps<Row> = {
  row: Row | undefined;
  index: number;
  start: number;
  columns: Column<Row>[];
  template: string;
  onOpen?: (row: Row) => void;
};

function BodyRow<Row>({ row, index, start, columns, template, onOpen }: RowProps<Row>) {
  const isOpening = onOpen !== undefined && row !== undefined;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a link in the first cell does the same
    <div
      role="row"
      aria-rowindex={index + 2}
      className={isOpening ? `${classes.row} ${classes.open}` : classes.row}
      style={{ gridTemplateColumns: template, height: rowHeight, transform: `translateY(${start}px)` }}
      onClick={isOpening ? () => onOpen(row) : undefined}
    >
      {columns.map(({ key, cell, align }) => (
        <div role="cell" key={key} className={classes.cell} data-align={align}>
          {row === undefined ? <span className={classes.waiting} /> : cell(row)}
        </div>
      ))}
    </div>
  );
}

function HeadRow<Row>({ columns, template, sort, onSort }: DataTableProps<Row> & { template: string }) {
  const { t } = useTranslation();
  const direction = (column: Column<Row>) =>
    column.sortBy === undefined || column.sortBy !== sort?.by
      ? undefined
      : sort.direction === "asc"
        ? ("ascending" as const)
        : ("descending" as const);
  return (
    <div role="rowgroup" className={classes.head}>
      <div
        role="row"
        aria-rowindex={1}
        className={classes.row}
        style={{ gridTemplateColumns: template, height: rowHeight }}
      >
        {columns.map((column) => {
          const { key, header, align, sortBy } = column;
          const sorted = direction(column);
          const next = sorted === "ascending" ? "desc" : "asc";
          return (
            <div role="columnheader" key={key} className={classes.cell} data-align={align} aria-sort={sorted}>
              {sortBy === undefined || onSort === undefined ? (
                header
              ) : (
                <button
                  type="button"
                  className={classes.sort}
                  title={t("common.table.sortBy", { column: header })}
                  onClick={() => onSort({ by: sortBy, direction: next })}
                >
                  {header}
                  <span aria-hidden>{sorted === undefined ? "" : sorted === "ascending" ? "▲" : "▼"}</span>
                </button>
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}
