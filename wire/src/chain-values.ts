/** The last second and the last day that a date of four digits for the year can name. */
const lastSecond = Date.parse("9999-12-31T23:59:59Z") / 1000;
const lastDay = Math.floor(lastSecond / 86_400);

/** Chain time, in seconds since 1970, as ISO 8601 in UTC. A contract may hold a time after the year 9999: it becomes that year's end. */
export function isoTime(seconds: bigint | number): string {
  return new Date(Math.min(Number(seconds), lastSecond) * 1000).toISOString();
}

/** Days since 1970-01-01 as a date `YYYY-MM-DD`; a later one than the year 9999 becomes that year's end. */
export function isoDate(day: bigint | number): string {
  return new Date(Math.min(Number(day), lastDay) * 86_400_000).toISOString().slice(0, 10);
}

/** The largest whole number that a database's column of 64 bits with a sign holds. */
const largestStored = 2n ** 63n - 1n;

/** A contract's number of 64 bits as such a column holds it: a larger one becomes the largest. */
export const storableInteger = (value: bigint): bigint => (value < largestStored ? value : largestStored);

/** Replace the NUL characters in the texts of a value from the chain, in lists and objects too, because no database stores them. */
export function storable<T>(value: T): T {
  if (typeof value === "string") return value.replaceAll("\0", "\ufffd") as T;
  if (Array.isArray(value)) return value.map(storable) as T;
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, storable(each)])) as T;
}
