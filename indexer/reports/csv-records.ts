import { stringify } from "csv-stringify/sync";
import { withoutFormula } from "./aef/formula.ts";

export type Value = string | number | bigint | boolean | object | null | undefined;

/**
 * Write records as CSV (RFC 4180): fields with commas, quotes or line ends are quoted, records end with CR LF. A cell without a value
 * is empty, and no text can be interpreted as a formula.
 */
export function writeRecords(records: readonly (readonly Value[])[]): string {
  return stringify(
    records.map((record) => record.map(cellOf)),
    { record_delimiter: "windows" },
  );
}

/** Exact amounts are LosslessNumber or bigint, which have their digits as text. Only other text could be a formula. */
function cellOf(value: Value): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? String(withoutFormula(value)) : String(value);
}
