import type { Column } from "../column.ts";

/** Rows of a file: texts in the order of the header. */
export type Sheet<Row> = { header: string[]; cells: (row: Row) => string[] };

/**
 * What a file shows of a table: its columns that have a text. A table without such columns gives all fields of its records, by the
 * names that the first page has.
 */
export function sheetOf<Row>(columns: readonly Column<Row>[], firstRows: readonly Row[]): Sheet<Row> {
  const shown = columns.flatMap(({ header, text }) => (text === undefined ? [] : [{ header, text }]));
  if (shown.length > 0) {
    return { header: shown.map(({ header }) => header), cells: (row) => shown.map(({ text }) => plain(text(row))) };
  }
  const header = [...new Set(firstRows.flatMap((row) => Object.keys(flat(row))))];
  return {
    header,
    cells: (row) => {
      const fields = flat(row);
      return header.map((name) => plain(fields[name]));
    },
  };
}

/** The fields of a record; those of a record in it have its name before theirs. */
function flat(record: unknown, prefix = ""): Record<string, unknown> {
  if (typeof record !== "object" || record === null) return { [prefix.slice(0, -1) || "value"]: record };
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? Object.entries(flat(value, `${prefix}${name}.`))
        : [[`${prefix}${name}`, value] as const],
    ),
  );
}

/** A value with all its digits as text, which no spreadsheet treats as a formula. */
function plain(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  // A number may begin with a minus.
  const isNumber = /^-?\d+(\.\d+)?$/.test(text);
  return !isNumber && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}
