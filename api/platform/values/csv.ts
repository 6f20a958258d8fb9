import { parse as parseCsv } from "csv-parse";
import { AppError, type RuleDetail } from "../errors.ts";

/** Most characters of a row. */
export const MAX_ROW_CHARACTERS = 16_384;

/** The columns that a CSV file may have, and those that it must have. */
export type CsvColumns = { known: readonly string[]; required: readonly string[] };

/** One row of a CSV file: its cells by column, without empty ones, or why it cannot be read. */
export type CsvRow = { cells: Map<string, string>; details: RuleDetail[] };

/** Decode UTF-8 in parts. @throws AppError INVALID_INPUT for other bytes */
export async function* decode(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    for await (const part of bytes) yield decoder.decode(part, { stream: true });
    yield decoder.decode();
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw unreadable("encoding", "The file must be UTF-8 text.", cause);
  }
}

/**
 * Read a CSV file row by row, in bounded memory. The first row names the columns, in any order. Cells are separated by
 * commas, or by semicolons or tabs where the first row has more of them.
 * @throws AppError INVALID_INPUT when the file cannot be read (encoding, header, quotes)
 */
export async function* readCsvRows(bytes: AsyncIterable<Uint8Array>, wanted: CsvColumns): AsyncGenerator<CsvRow> {
  yield* readTableRows(readCsvCells(bytes), wanted);
}

/** Read the rows of a table whose first row names the columns. @throws AppError INVALID_INPUT when its header is wrong */
export async function* readTableRows(rows: AsyncIterable<string[]>, wanted: CsvColumns): AsyncGenerator<CsvRow> {
  let columns: string[] | null = null;
  for await (const cells of rows) {
    if (columns === null) columns = checkHeader(cells, wanted);
    else yield rowOf(columns, cells);
  }
  if (columns === null) throw unreadable("header", "The file has no header row.");
}

async function* readCsvCells(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  const { delimiter, texts } = await withDelimiter(decode(bytes));
  const parser = parseCsv({
    delimiter,
    bom: true,
    relax_column_count: true,
    skip_empty_lines: true,
    trim: true,
    max_record_size: MAX_ROW_CHARACTERS,
  });
  const feeding = feed(texts, parser);
  try {
    yield* parser as AsyncIterable<string[]>;
  } catch (cause) {
    throw asUnreadable(cause);
  } finally {
    parser.destroy();
    await feeding;
  }
}

/** Find the separator in the first line, which spreadsheets choose by country. The texts are passed on unchanged. */
async function withDelimiter(
  texts: AsyncGenerator<string>,
): Promise<{ delimiter: string; texts: AsyncIterable<string> }> {
  let head = "";
  let isOver = false;
  while (!isOver && !/[\r\n]/.test(head.trimStart()) && head.length <= MAX_ROW_CHARACTERS) {
    const { value, done } = await texts.next();
    isOver = done === true;
    head += value ?? "";
  }
  const line = head.trimStart().split(/[\r\n]/, 1)[0] ?? "";
  const count = (separator: string) => line.split(separator).length;
  const [delimiter = ","] = [",", ";", "\t"].sort((a, b) => count(b) - count(a));
  const all = async function* () {
    yield head;
    yield* texts;
  };
  return { delimiter, texts: all() };
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

function rowOf(columns: string[], cells: string[]): CsvRow {
  const named = new Map(columns.flatMap((column, i): [string, string][] => (cells[i] ? [[column, cells[i]]] : [])));
  if (cells.length === columns.length) return { cells: named, details: [] };
  const message = `The row has ${cells.length} cells, the header has ${columns.length}.`;
  return { cells: named, details: [{ rule: "cell-count", message }] };
}

function checkHeader(cells: string[], { known, required }: CsvColumns): string[] {
  // A text has no control characters; the first bytes of a workbook or an archive do.
  if (cells.some((cell) => /[^\P{Cc}\t\n\r]/u.test(cell))) {
    throw unreadable("csv-text", "This is not a CSV text. If it is an Excel file, save it as CSV (UTF-8) first.");
  }
  const columns = cells.map((cell) => cell.toLowerCase());
  const details: RuleDetail[] = [];
  for (const [i, column] of columns.entries()) {
    if (!known.includes(column)) {
      details.push({
        path: column,
        rule: "known-column",
        message: `Column "${column}" is not one of ${known.join(", ")}.`,
      });
    } else if (columns.indexOf(column) !== i) {
      details.push({ path: column, rule: "column-once", message: `Column "${column}" appears twice.` });
    }
  }
  for (const column of required) {
    if (columns.includes(column)) continue;
    details.push({ path: column, rule: "column-present", message: `Column "${column}" is missing.` });
  }
  if (details.length > 0)
    throw new AppError("INVALID_INPUT", "The header row is not what an import needs.", { details });
  return columns;
}

function asUnreadable(cause: unknown): unknown {
  if (cause instanceof AppError || !(cause instanceof Error) || !("code" in cause)) return cause;
  if (!String(cause.code).startsWith("CSV_")) return cause;
  const line = "lines" in cause ? ` near line ${String(cause.lines)}` : "";
  return unreadable("csv", `The file is not well-formed CSV${line}: ${cause.message}`, cause);
}

/** A file that cannot be read at all. */
export function unreadable(rule: string, message: string, cause?: unknown): AppError {
  return new AppError("INVALID_INPUT", message, { cause, details: [{ path: "body", rule, message }] });
}
