import { type FocusEvent, type KeyboardEvent, type RefObject, useLayoutEffect, useRef, useState } from "react";

export type RowFocus = {
  /** The row that has or last had the focus. */
  active: number;
  /** Whether the focus is within the rows now. */
  isInside: boolean;
  onFocus: (event: FocusEvent) => void;
  onBlur: (event: FocusEvent) => void;
  onKeyDown: (event: KeyboardEvent) => void;
};

type RowFocusOptions = {
  frame: RefObject<HTMLElement | null>;
  total: number;
  /** Number of rows that fit into the frame. */
  rowsInSight: () => number;
  /** Scroll to a row. */
  reveal: (index: number) => void;
  open: (index: number) => void;
};

/**
 * Keyboard navigation in rows: arrows, Page Up and Down, Home and End move; Enter opens. Rows have their index in
 * `data-index`.
 */
export function useRowFocus({ frame, total, rowsInSight, reveal, open }: RowFocusOptions): RowFocus {
  const [active, setActive] = useState(0);
  const [isInside, setInside] = useState(false);
  const wanted = useRef<number>(undefined);
  useLayoutEffect(() => {
    if (wanted.current === undefined) return;
    const row = frame.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"]`);
    if (!row) return;
    wanted.current = undefined;
    row.focus({ preventScroll: true });
  });
  const moveTo = (index: number) => {
    const place = Math.max(0, Math.min(total - 1, index));
    wanted.current = place;
    setActive(place);
    reveal(place);
  };
  return {
    active: Math.min(active, Math.max(0, total - 1)),
    isInside,
    onFocus: ({ target }) => {
      const place = placeOf(target);
      if (place !== undefined) setActive(place);
      setInside(place !== undefined);
    },
    onBlur: ({ currentTarget, relatedTarget }) => {
      if (!currentTarget.contains(relatedTarget)) setInside(false);
    },
    onKeyDown: (event) => {
      const place = placeOf(event.target as Element);
      if (place === undefined || event.altKey || event.metaKey) return;
      if (event.key === "Enter") {
        if ((event.target as HTMLElement).dataset.index !== undefined) open(place);
        return;
      }
      const next = nextPlace(event.key, place, { total, page: Math.max(1, rowsInSight() - 1) });
      if (next === undefined) return;
      event.preventDefault();
      moveTo(next);
    },
  };
}

function placeOf(element: Element): number | undefined {
  const index = element.closest<HTMLElement>("[data-index]")?.dataset.index;
  return index === undefined ? undefined : Number(index);
}

/** The row that a key moves to; undefined for other keys. It may be outside the table. */
export function nextPlace(key: string, from: number, { total, page }: { total: number; page: number }) {
  switch (key) {
    case "ArrowDown":
      return from + 1;
    case "ArrowUp":
      return from - 1;
    case "PageDown":
      return from + page;
    case "PageUp":
      return from - page;
    case "Home":
      return 0;
    case "End":
      return total - 1;
    default:
      return undefined;
  }
}
