import { setImmediate as nextTurn } from "node:timers/promises";
import { AppError } from "../errors.ts";
import { type CsvColumns, type CsvRow, readCsvRows, readTableRows, unreadable } from "./csv.ts";

export const MAX_IMPORT_ROWS = 100_000;
/** Rows that are read before other requests get their turn: a few milliseconds. */
const ROWS_PER_TURN = 100;
const PART_BYTES = 65_536;

/**
 * Pass on the rows of an import, and let other requests continue in between.
 * @throws AppError INVALID_INPUT when there are no rows or more than MAX_IMPORT_ROWS
 */
export async function* limitRows<Row>(rows: AsyncIterable<Row>): AsyncGenerator<Row> {
  let count = 0;
  for await (const row of rows) {
    count += 1;
    if (count % ROWS_PER_TURN === 0) await nextTurn();
    if (count > MAX_IMPORT_ROWS) throw unreadable("row-limit", `An import has at most ${MAX_IMPORT_ROWS} rows.`);
    yield row;
  }
  if (count === 0) throw unreadable("rows", "The file has no rows.");
}

/** Cut a body into parts, so that a reader decodes it in bounded memory. */
export async function* inParts(bytes: Uint8Array, size = PART_BYTES): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

export type TableFormat = "csv" | "xlsx";

/** Content type of an XLSX workbook. */
export const XLSX_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/** Formats of imports by their content types. */
export const importFormats = { "text/csv": "csv", [XLSX_TYPE]: "xlsx", "application/x-ndjson": "ndjson" } as const;

/**
 * Find the format of an import by its content type.
 * @throws AppError INVALID_INPUT for another content type
 */
export function importFormat<Format extends "csv" | "xlsx" | "ndjson">(
  contentType: string,
  formats: readonly Format[],
): Format {
  const type = contentType.split(";")[0]?.trim().toLowerCase() ?? "";
  const known = Object.entries(importFormats) as [string, Format][];
  const found = known.find(([each, format]) => each === type && formats.includes(format));
  if (found !== undefined) return found[1];
  const types = known.filter(([, format]) => formats.includes(format)).map(([each]) => each);
  const message = `The content type must be ${types.join(" or ")}.`;
  throw new AppError("INVALID_INPUT", message, { details: [{ path: "content-type", rule: "content-type", message }] });
}

/** The columns of a table, and which of them are days: a workbook stores days as numbers. */
export type TableColumns = CsvColumns & { days?: readonly string[] };

/**
 * Read the rows of a CSV file or of a workbook's first sheet, in bounded memory.
 * @throws AppError INVALID_INPUT when it cannot be read
 */
export async function* readImportTable(
  format: TableFormat,
  bytes: Uint8Array,
  columns: TableColumns,
  partBytes?: number,
): AsyncGenerator<CsvRow> {
  if (format === "csv") return yield* readCsvRows(inParts(bytes, partBytes), columns);
  const { readXlsxCells } = await import("./xlsx.ts");
  yield* readTableRows(readXlsxCells(bytes, columns.days), columns);
}
