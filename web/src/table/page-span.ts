/** Places of pages: from `first` to `last`, both inclusive. */
export type PageSpan = { first: number; last: number };

/** So many rows before and after those in sight are fetched, too: who scrolls on finds them there. */
export const ahead = 40;

/** The pages that hold the rows from `from` to `to` (exclusive) and those near them. */
export function spanOf(from: number, to: number, pageSize: number): PageSpan {
  const first = Math.floor(Math.max(0, from - ahead) / pageSize);
  return { first, last: Math.max(first, Math.floor((Math.max(to, from + 1) - 1 + ahead) / pageSize)) };
}

/** The span that was, if it is the same: so that nothing is drawn anew. */
export function sameSpan(was: PageSpan, now: PageSpan): PageSpan {
  return was.first === now.first && was.last === now.last ? was : now;
}
