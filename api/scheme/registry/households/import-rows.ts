import { LosslessNumber } from "lossless-json";
import { AppError, type RuleDetail } from "../../../platform/errors.ts";
import { zodDetails } from "../../../platform/http/index.ts";
import { decode, MAX_ROW_CHARACTERS, readCsvRows, unreadable } from "../../../platform/values/csv.ts";
import { limitRows } from "../../../platform/values/import-rows.ts";
import { brokenTexts, parseJsonBody } from "../../../platform/values/json.ts";
import { type NewHousehold, newHousehold } from "./schemas.ts";

export const importColumns = ["did", "account", "region", "men", "women", "children", "elderly"] as const;
const sizeColumns = new Set<string>(["men", "women", "children", "elderly"]);

export type ImportFormat = "csv" | "ndjson";

/** One row of an import: a household to register, or the errors of the row. `row` counts from 1. */
export type ImportRow =
  | { row: number; household: NewHousehold }
  | { row: number; did: string | null; details: RuleDetail[] };

/**
 * Read an import row by row, in bounded memory.
 * @throws AppError INVALID_INPUT when the file cannot be read (encoding, header, quotes), has no rows or too many
 */
export async function* readImport(format: ImportFormat, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<ImportRow> {
  let row = 0;
  for await (const found of limitRows(format === "csv" ? readCsv(bytes) : readLines(bytes))) {
    row += 1;
    yield { row, ...found };
  }
}

type Unnumbered = { household: NewHousehold } | { did: string | null; details: RuleDetail[] };

async function* readCsv(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Unnumbered> {
  for await (const { cells, details } of readCsvRows(bytes, { known: importColumns, required: ["did"] })) {
    yield details.length > 0 ? { did: cells.get("did") ?? null, details } : csvRow(cells);
  }
}

function csvRow(cells: ReadonlyMap<string, string>): Unnumbered {
  const body: Record<string, unknown> = {};
  const size: Record<string, unknown> = {};
  for (const [column, cell] of cells) {
    if (sizeColumns.has(column)) size[column] = /^\d{1,9}$/.test(cell) ? new LosslessNumber(cell) : cell;
    else body[column] = cell;
  }
  if (Object.keys(size).length > 0) body.householdSize = size;
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
