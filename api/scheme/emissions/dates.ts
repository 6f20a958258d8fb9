export const millisecondsPerDay = 86_400_000;
/** Days of a device-year. */
export const daysPerYear = 365;

/** Convert a calendar date such as 2026-02-28 to days since 1970-01-01; null for other text. */
export function dayNumber(date: string): number | null {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(date);
  if (match === null) return null;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  const milliseconds = Date.UTC(year, month - 1, day);
  return new Date(milliseconds).toISOString().slice(0, 10) === date ? milliseconds / millisecondsPerDay : null;
}

/** Return the day that is `years` after `date`; 29 February becomes 1 March in a year without it. */
export function anniversary(date: string, years: number): number {
  const [year, month, day] = date.split("-").map(Number) as [number, number, number];
  return Date.UTC(year + years, month - 1, day) / millisecondsPerDay;
}

/** How a test counts its days: each calendar day from the first to the last, or the intervals between them. */
export type DayCount = "calendar" | "interval";
export const dayCounts: readonly DayCount[] = ["calendar", "interval"];

/** Count the days of a test with valid dates. */
export function testDays({ startDate, endDate }: { startDate: string; endDate: string }, count: DayCount): number {
  const interval = (dayNumber(endDate) ?? Number.NaN) - (dayNumber(startDate) ?? Number.NaN);
  if (Number.isNaN(interval)) throw new RangeError(`${startDate} to ${endDate} are not two dates.`);
  return count === "calendar" ? interval + 1 : interval;
}
