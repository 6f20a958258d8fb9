const MILLISECONDS_PER_DAY = 86_400_000;

/** The last day that the ledger's numbers of days reach. */
export const LAST_DAY = 2 ** 24 - 1;

/** Days since 1970-01-01 of a date `YYYY-MM-DD`, or null when no such day exists (2024-02-30) or it lies before 1970. */
export function dayOf(date: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) return null;
  const time = Date.parse(`${date}T00:00:00Z`);
  if (Number.isNaN(time) || time < 0 || new Date(time).toISOString().slice(0, 10) !== date) return null;
  return time / MILLISECONDS_PER_DAY;
}

/** The date `YYYY-MM-DD` of a number of days since 1970-01-01. */
export function dateOf(day: number): string {
  return new Date(day * MILLISECONDS_PER_DAY).toISOString().slice(0, 10);
}
