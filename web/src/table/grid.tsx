// biome-ignore-all lint/a11y/useSemanticElements: rows are placed by a CSS grid, which removes the semantics of a table
// element
// biome-ignore-all lint/a11y/noNoninteractiveTabindex: keyboard users scroll the rows
// biome-ignore-all lint/a11y/useFocusableInteractive: the rows take the focus
// biome-ignore-all lint/a11y/useAriaPropsSupportedByRole: the element is a table or a grid, which may have a name
import { useMediaQuery } from "@mantine/hooks";
import { defaultRangeExtractor, type Range, useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useMemo, useRef } from "react";
import type { Column, Sort } from "./column.ts";
import classes from "./data-table.module.css";
import { BodyRow, HeadRow, rowHeight } from "./grid-rows.tsx";
import type { Rows } from "./rows.ts";
import { useBarRoom } from "./use-bar-room.ts";
import { usePlace } from "./use-place.ts";
import { useRowFocus } from "./use-row-focus.ts";

export type GridProps<Row> = {
  label: string;
  columns: Column<Row>[];
  rows: Rows<Row>;
  rowKey: (row: Row) => string;
  onOpen?: ((row: Row) => void) | undefined;
  sort?: Sort | undefined;
  onSort?: ((sort: Sort) => void) | undefined;
  wraps?: boolean | undefined;
  place?: number | undefined;
  onPlace?: ((place: number) => void) | undefined;
  /** Number of rows to scroll through. */
  places: number;
};

/** Height of the frame's two borders, in px. */
const borders = 2;

/** The visible rows in a scrolling frame. */
export function Grid<Row>({
  places,
  label,
  rows,
  rowKey,
  onOpen,
  sort,
  onSort,
  wraps,
  place,
  onPlace,
  ...props
}: GridProps<Row>) {
  const { columns, template } = useShownColumns(props.columns);
  const frame = useRef<HTMLElement>(null);
  // The focused row stays in the page while scrolling, since the focus would be lost with it.
  const kept = useRef<number>(undefined);
  const virtualizer = useVirtualizer({
    count: places,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    // The header covers the top of the frame, and the rows start below it.
    scrollPaddingEnd: rowHeight,
    rangeExtractor: useCallback((range: Range) => withPlace(defaultRangeExtractor(range), kept.current, range), []),
  });
  const openAt = (index: number) => {
    const row = rows.at(index);
    if (row !== undefined) onOpen?.(row);
  };
  const focus = useRowFocus({
    frame,
    // Keys move over the placeholder rows as well, before the number of rows is known.
    total: Math.min(rows.total ?? places, places),
    rowsInSight: () => Math.floor((frame.current?.clientHeight ?? 0) / rowHeight) - 1,
    reveal: (index) => {
      kept.current = index;
      virtualizer.scrollToIndex(index);
    },
    open: openAt,
  });
  kept.current = focus.isInside ? focus.active : undefined;
  const inSight = virtualizer.range ?? { startIndex: 0, endIndex: 0 };
  const tabStop = focus.isInside ? focus.active : clamp(focus.active, inSight.startIndex, inSight.endIndex);
  const { show, list } = rows;
  const [from, to] = [inSight.startIndex, inSight.endIndex + 1];
  useEffect(() => show(from, to), [show, from, to]);
  // Newer browsers return a promise here, which must not become the effect's clean-up.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list starts at its top
  useEffect(() => void frame.current?.scrollTo({ top: 0 }), [list]);
  const onScroll = usePlace({ frame, place, onPlace, places, isKnown: rows.total !== undefined });
  const isOpening = onOpen !== undefined;
  const bar = useBarRoom(frame);
  const contentHeight = wraps ? virtualizer.getTotalSize() + rowHeight : (places + 1) * rowHeight;
  return (
    <section
      ref={frame}
      className={classes.frame}
      onScroll={onScroll}
      style={{ height: contentHeight + bar.outside + bar.inside + borders }}
      aria-label={label}
      {...(isOpening ? { onFocus: focus.onFocus, onBlur: focus.onBlur, onKeyDown: focus.onKeyDown } : { tabIndex: 0 })}
    >
      <div
        role={isOpening ? "grid" : "table"}
        className={classes.table}
        style={{ paddingBottom: bar.inside }}
        aria-label={label}
        aria-rowcount={rows.hasMore || rows.total === undefined ? -1 : rows.total + 1}
      >
        <HeadRow {...{ columns, template, sort, onSort }} />
        <div role="rowgroup" className={classes.body} style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ index, start }) => (
            <BodyRow
              key={index}
              {...{ index, start, columns, template, rowKey, onOpen }}
              row={rows.at(index)}
              isTabStop={index === tabStop}
              measure={wraps ? virtualizer.measureElement : undefined}
            />
          ))}
        </div>
      </div>
    </section>
  );
}

function useShownColumns<Row>(all: Column<Row>[]): { columns: Column<Row>[]; template: string } {
  const isWide = useMediaQuery("(min-width: 48em)", true, { getInitialValueInEffect: false });
  return useMemo(() => {
    const columns = all.filter(({ wideOnly }) => isWide || !wideOnly);
    const template = columns.map(({ width = "10rem" }) => `minmax(${width}, ${Number.parseFloat(width)}fr)`).join(" ");
    return { columns, template };
  }, [all, isWide]);
}

function withPlace(places: number[], place: number | undefined, { count }: Range): number[] {
  if (place === undefined || place >= count || places.includes(place)) return places;
  return [...places, place].sort((a, b) => a - b);
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
