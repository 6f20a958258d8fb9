const MILLISECONDS_PER_DAY = 86_400_000;

/** Largest day number that the contracts can store (24 bits). */
export const LAST_DAY = 2 ** 24 - 1;

/** Convert a date `YYYY-MM-DD` to days since 1970-01-01; null for a date that does not exist (2024-02-30) or is before 1970. */
export function dayOf(date: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) return null;
  const time = Date.parse(`${date}T00:00:00Z`);
  if (Number.isNaN(time) || time < 0 || new Date(time).toISOString().slice(0, 10) !== date) return null;
  return time / MILLISECONDS_PER_DAY;
}

export { isoDate as dateOf } from "../../../wire/src/chain-values.ts";
