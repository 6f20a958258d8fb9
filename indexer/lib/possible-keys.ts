import type { Column } from "drizzle-orm";

const ranges: Record<string, [least: bigint, most: bigint]> = {
  integer: [-(2n ** 31n), 2n ** 31n - 1n],
  bigint: [-(2n ** 63n), 2n ** 63n - 1n],
  "numeric(78)": [-(10n ** 78n) + 1n, 10n ** 78n - 1n],
};

/**
 * Tell whether a column can hold a value. Ponder guesses from an event's values which rows its handler will read. A guess may be a
 * text for a column of numbers, or a number that is too large; PostgreSQL refuses a query with such a value.
 */
export function canHold(column: Column, value: unknown): boolean {
  const type = column.getSQLType();
  const range = ranges[type];
  if (range !== undefined) {
    const digits = String(value);
    if (!/^-?\d{1,78}$/.test(digits)) return false;
    const number = BigInt(digits);
    return range[0] <= number && number <= range[1];
  }
  if (column.columnType === "PgHex") return typeof value === "string" && value.startsWith("0x");
  return !String(value).includes("\0");
}
