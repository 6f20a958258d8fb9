/** A page of a list with cursors. It is known when the page before it has been read. */
export type KnownPage = {
  /** Undefined for the first page. */
  cursor: string | undefined;
  /** Index of its first row. */
  start: number;
  /** Number of its rows; undefined until it is read. */
  length: number | undefined;
};

export const firstPages: readonly KnownPage[] = [{ cursor: undefined, start: 0, length: undefined }];

/** Update the known pages after reading the page at `index`; returns the same array when nothing changed. */
export function learn(
  pages: readonly KnownPage[],
  index: number,
  { length, nextCursor }: { length: number; nextCursor: string | null },
): readonly KnownPage[] {
  const page = pages[index];
  if (page === undefined) return pages;
  const before = pages.slice(0, index);
  const read = { ...page, length };
  const next = pages[index + 1];
  if (nextCursor === null) {
    return page.length === length && next === undefined ? pages : [...before, read];
  }
  const start = page.start + length;
  // Rows were added or removed: the following pages start elsewhere and are read again.
  if (next?.cursor !== nextCursor) return [...before, read, { cursor: nextCursor, start, length: undefined }];
  if (page.length === length && next.start === start) return pages;
  const moved = start - next.start;
  return [...before, read, ...pages.slice(index + 1).map((each) => ({ ...each, start: each.start + moved }))];
}

/** Index of the page that contains the row at `index`, or of the last known page. */
export function pageAt(pages: readonly KnownPage[], index: number): number {
  let [low, high] = [0, pages.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((pages[middle] as KnownPage).start <= index) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Number of known rows, and whether those are all. */
export function knownRows(pages: readonly KnownPage[]): { count: number; isAll: boolean } {
  const last = pages.at(-1) as KnownPage;
  return { count: last.start + (last.length ?? 0), isAll: last.length !== undefined };
}
