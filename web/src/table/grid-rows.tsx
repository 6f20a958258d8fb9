// biome-ignore-all lint/a11y/useSemanticElements: rows are placed by a CSS grid, which removes the semantics of a table
// element
// biome-ignore-all lint/a11y/useFocusableInteractive: the focusable elements are the buttons, the links and the rows
// that open
import { type MouseEvent, memo, useLayoutEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { Column, Sort } from "./column.ts";
import classes from "./data-table.module.css";

/** Height of a row in px, unless its texts wrap. */
export const rowHeight = 44;

export type BodyRowProps<Row> = {
  row: Row | undefined;
  rowKey: (row: Row) => string;
  index: number;
  /** Its distance from the first row, in px. */
  start: number;
  columns: Column<Row>[];
  template: string;
  onOpen?: ((row: Row) => void) | undefined;
  /** Whether Tab stops at this row and its controls. */
  isTabStop: boolean;
  /** Given when texts wrap: measures the row's height. */
  measure?: ((element: Element | null) => void) | undefined;
};

function BodyRowOf<Row>(props: BodyRowProps<Row>) {
  const { row, rowKey, index, start, columns, template, onOpen, isTabStop, measure } = props;
  const own = useRef<HTMLDivElement>(null);
  const canOpen = onOpen !== undefined;
  useLayoutEffect(() => {
    if (!canOpen) return;
    for (const each of own.current?.querySelectorAll<HTMLElement>("a, button") ?? []) {
      each.tabIndex = isTabStop ? 0 : -1;
    }
  });
  const key = row === undefined ? "" : rowKey(row);
  const press = (event: MouseEvent) => {
    const isOnLink = (event.target as Element).closest("a, button") !== null;
    // A user who selects text to copy it does not want to open the row.
    if (row !== undefined && !isOnLink && getSelection()?.type !== "Range") onOpen?.(row);
  };
  return (
    <div
      role="row"
      ref={(element) => {
        own.current = element;
        measure?.(element);
      }}
      data-index={index}
      aria-rowindex={index + 2}
      className={canOpen && row !== undefined ? `${classes.row} ${classes.open}` : classes.row}
      data-wraps={measure !== undefined || undefined}
      style={{ gridTemplateColumns: template, minHeight: rowHeight, transform: `translateY(${start}px)` }}
      {...(canOpen && { tabIndex: isTabStop ? 0 : -1, onClick: press })}
    >
      {columns.map((column) => (
        <div
          role={canOpen ? "gridcell" : "cell"}
          key={`${column.key} ${key}`}
          className={classes.cell}
          data-align={column.align}
        >
          {row === undefined ? <span className={classes.waiting} /> : column.cell(row)}
        </div>
      ))}
    </div>
  );
}

/** Memoized, so that scrolling renders only new rows. */
export const BodyRow = memo(BodyRowOf) as typeof BodyRowOf;

type HeadRowProps<Row> = {
  columns: Column<Row>[];
  template: string;
  sort?: Sort | undefined;
  onSort?: ((sort: Sort) => void) | undefined;
};

function HeadRowOf<Row>({ columns, template, sort, onSort }: HeadRowProps<Row>) {
  return (
    <div role="rowgroup" className={classes.head}>
      <div
        role="row"
        aria-rowindex={1}
        className={classes.row}
        style={{ gridTemplateColumns: template, height: rowHeight }}
      >
        {columns.map((column) => (
          <HeadCell key={column.key} {...{ column, sort, onSort }} />
        ))}
      </div>
    </div>
  );
}

export const HeadRow = memo(HeadRowOf) as typeof HeadRowOf;

type HeadCellProps<Row> = Pick<HeadRowProps<Row>, "sort" | "onSort"> & { column: Column<Row> };

function HeadCell<Row>({ column: { header, align, sortBy }, sort, onSort }: HeadCellProps<Row>) {
  const { t } = useTranslation();
  const isSorted = sortBy !== undefined && sortBy === sort?.by;
  const sorted = !isSorted ? undefined : sort.direction === "asc" ? ("ascending" as const) : ("descending" as const);
  return (
    <div role="columnheader" className={classes.cell} data-align={align} aria-sort={sorted}>
      {sortBy === undefined || onSort === undefined ? (
        header
      ) : (
        <button
          type="button"
          className={classes.sort}
          title={t("common.table.sortBy", { column: header })}
          onClick={() => onSort({ by: sortBy, direction: sorted === "ascending" ? "desc" : "asc" })}
        >
          {header}
          {sorted && <span aria-hidden>{sorted === "ascending" ? "▲" : "▼"}</span>}
        </button>
      )}
    </div>
  );
}
