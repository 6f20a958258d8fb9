import { LosslessNumber } from "lossless-json";
import { AppError, type RuleDetail } from "../../../platform/errors.ts";
import { zodDetails } from "../../../platform/http/index.ts";
import { decode, MAX_ROW_CHARACTERS, unreadable } from "../../../platform/values/csv.ts";
import { inParts, limitRows, readImportTable, type TableFormat } from "../../../platform/values/import-rows.ts";
import { brokenTexts, parseJsonBody } from "../../../platform/values/json.ts";
import { type NewHousehold, newHousehold } from "./schemas.ts";

export const importColumns = [
  "did",
  "account",
  "region",
  "men",
  "women",
  "children",
  "elderly",
  "latitude",
  "longitude",
] as const;
const sizeColumns = new Set<string>(["men", "women", "children", "elderly"]);
const locationColumns = new Set<string>(["latitude", "longitude"]);

const decimal = /^-?\d{1,3}(\.\d{1,15})?$/;

export type ImportFormat = "csv" | "ndjson" | "xlsx";

/** One row of an import: a household to register, or the errors of the row. `row` counts from 1. */
export type ImportRow =
  | { row: number; household: NewHousehold }
  | { row: number; did: string | null; details: RuleDetail[] };

/**
 * Read an import row by row, in bounded memory.
 * @throws AppError INVALID_INPUT when the file cannot be read (encoding, header, quotes), has no rows or too many
 */
export async function* readImport(
  format: ImportFormat,
  bytes: Uint8Array,
  partBytes?: number,
): AsyncGenerator<ImportRow> {
  let row = 0;
  const rows = format === "ndjson" ? readLines(inParts(bytes, partBytes)) : readTable(format, bytes, partBytes);
  for await (const found of limitRows(rows)) {
    row += 1;
    yield { row, ...found };
  }
}

type Unnumbered = { household: NewHousehold } | { did: string | null; details: RuleDetail[] };

async function* readTable(format: TableFormat, bytes: Uint8Array, partBytes?: number): AsyncGenerator<Unnumbered> {
  const columns = { known: importColumns, required: ["did"] };
  for await (const { cells, details } of readImportTable(format, bytes, columns, partBytes)) {
    yield details.length > 0 ? { did: cells.get("did") ?? null, details } : tableRow(cells);
  }
}

function tableRow(cells: ReadonlyMap<string, string>): Unnumbered {
  const body: Record<string, unknown> = {};
  const size: Record<string, unknown> = {};
  const location: Record<string, unknown> = {};
  for (const [column, cell] of cells) {
    if (locationColumns.has(column)) location[column] = decimal.test(cell) ? new LosslessNumber(cell) : cell;
    else if (sizeColumns.has(column)) size[column] = /^\d{1,9}$/.test(cell) ? new LosslessNumber(cell) : cell;
    else body[column] = cell;
  }
  if (Object.keys(size).length > 0) body.householdSize = size;
  if (Object.keys(location).length > 0) body.location = location;
  return checkRow(body, brokenTexts(body));
}

async function* readLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Unnumbered> {
  let rest = "";
  let first = true;
  for await (const text of decode(bytes)) {
    const lines = (rest + (first ? text.replace(/^\uFEFF/, "") : text)).split("\n");
    if (text !== "") first = false;
    rest = lines.pop() ?? "";
    if (rest.length > MAX_ROW_CHARACTERS) throw unreadable("row-size", "A line is too long.");
    for (const line of lines) if (line.trim() !== "") yield jsonRow(line);
  }
  if (rest.trim() !== "") yield jsonRow(rest);
}

function jsonRow(line: string): Unnumbered {
  try {
    return checkRow(parseJsonBody(Buffer.from(line)), []);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { did: null, details: error.details };
  }
}

function checkRow(body: unknown, broken: RuleDetail[]): Unnumbered {
  const parsed = newHousehold.safeParse(body);
  if (parsed.success && broken.length === 0) return { household: parsed.data };
  const named =
    typeof body === "object" && body !== null && "did" in body && typeof body.did === "string" ? body.did : null;
  return {
    did: named?.slice(0, 256) ?? null,
    details: [...broken, ...(parsed.success ? [] : zodDetails(parsed.error))],
  };
}
