import { setImmediate as nextTurn } from "node:timers/promises";
import { parse as parseCsv } from "csv-parse";
import { LosslessNumber } from "lossless-json";
import { AppError, type RuleDetail } from "../../../platform/errors.ts";
import { zodDetails } from "../../../platform/http/index.ts";
import { brokenTexts, parseJsonBody } from "../../../platform/values/json.ts";
import { type NewHousehold, newHousehold } from "./schemas.ts";

export const MAX_IMPORT_ROWS = 100_000;
const MAX_ROW_CHARACTERS = 16_384;
/** Rows that are read without letting other requests continue: a few milliseconds. */
const ROWS_PER_TURN = 100;

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
  for await (const found of format === "csv" ? readCsv(bytes) : readLines(bytes)) {
    row += 1;
    if (row % ROWS_PER_TURN === 0) await nextTurn();
    if (row > MAX_IMPORT_ROWS) throw unreadable("row-limit", `An import has at most ${MAX_IMPORT_ROWS} rows.`);
    yield { row, ...found };
  }
  if (row === 0) throw unreadable("rows", "The file has no rows.");
}

type Unnumbered = { household: NewHousehold } | { did: string | null; details: RuleDetail[] };

async function* decode(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    for await (const part of bytes) yield decoder.decode(part, { stream: true });
    yield decoder.decode();
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw unreadable("encoding", "The file must be UTF-8 text.", cause);
  }
}

async function* readCsv(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Unnumbered> {
  const parser = parseCsv({
    bom: true,
    relax_column_count: true,
    skip_empty_lines: true,
    trim: true,
    max_record_size: MAX_ROW_CHARACTERS,
  });
  const feeding = feed(decode(bytes), parser);
  let columns: string[] | null = null;
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      if (columns === null) columns = checkHeader(cells);
      else yield csvRow(columns, cells);
    }
  } catch (cause) {
    throw asUnreadable(cause);
  } finally {
    parser.destroy();
    await feeding;
  }
  if (columns === null) throw unreadable("header", "The file has no header row.");
}

async function feed(texts: AsyncIterable<string>, parser: ReturnType<typeof parseCsv>): Promise<void> {
  try {
    for await (const text of texts) {
      if (parser.destroyed) return;
      if (!parser.write(text)) await new Promise<void>((resume) => waitToWrite(parser, resume));
    }
    if (!parser.destroyed) parser.end();
  } catch (cause) {
    parser.destroy(cause instanceof Error ? cause : new Error(String(cause)));
  }
}

function waitToWrite(parser: ReturnType<typeof parseCsv>, resume: () => void): void {
  const done = () => {
    parser.off("drain", done);
    parser.off("close", done);
    resume();
  };
  parser.on("drain", done);
  parser.on("close", done);
}

function checkHeader(cells: string[]): string[] {
  const columns = cells.map((cell) => cell.toLowerCase());
  const details: RuleDetail[] = [];
  for (const [i, column] of columns.entries()) {
    if (!(importColumns as readonly string[]).includes(column)) {
      details.push({
        path: column,
        rule: "known-column",
        message: `Column "${column}" is not one of ${importColumns.join(", ")}.`,
      });
    } else if (columns.indexOf(column) !== i) {
      details.push({ path: column, rule: "column-once", message: `Column "${column}" appears twice.` });
    }
  }
  if (!columns.includes("did"))
    details.push({ path: "did", rule: "column-present", message: 'Column "did" is missing.' });
  if (details.length > 0)
    throw new AppError("INVALID_INPUT", "The header row is not what an import needs.", { details });
  return columns;
}

function csvRow(columns: string[], cells: string[]): Unnumbered {
  if (cells.length !== columns.length) {
    const message = `The row has ${cells.length} cells, the header has ${columns.length}.`;
    return { did: cells[columns.indexOf("did")] || null, details: [{ rule: "cell-count", message }] };
  }
  const body: Record<string, unknown> = {};
  const size: Record<string, unknown> = {};
  for (const [i, column] of columns.entries()) {
    const cell = cells[i];
    if (cell === undefined || cell === "") continue;
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

function asUnreadable(cause: unknown): unknown {
  if (cause instanceof AppError || !(cause instanceof Error) || !("code" in cause)) return cause;
  if (!String(cause.code).startsWith("CSV_")) return cause;
  const line = "lines" in cause ? ` near line ${String(cause.lines)}` : "";
  return unreadable("csv", `The file is not well-formed CSV${line}: ${cause.message}`, cause);
}

function unreadable(rule: string, message: string, cause?: unknown): AppError {
  return new AppError("INVALID_INPUT", message, { cause, details: [{ path: "body", rule, message }] });
}
