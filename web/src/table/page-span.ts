/** Range of pages from `first` to `last`, both inclusive. */
export type PageSpan = { first: number; last: number };

/** Number of rows fetched before and after the visible ones, so that they are there when the user scrolls. */
export const ahead = 40;

/** The pages with the rows from `from` to `to` (exclusive) and those near them. */
export function spanOf(from: number, to: number, pageSize: number): PageSpan {
  const first = Math.floor(Math.max(0, from - ahead) / pageSize);
  return { first, last: Math.max(first, Math.floor((Math.max(to, from + 1) - 1 + ahead) / pageSize)) };
}

/** Return the earlier span if it is the same, so that nothing is rendered again. */
export function sameSpan(was: PageSpan, now: PageSpan): PageSpan {
  return was.first === now.first && was.last === now.last ? was : now;
}
