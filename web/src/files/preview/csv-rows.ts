import { parse } from "csv-parse/browser/esm/sync";

/** Most rows that a preview shows. */
const mostRows = 200;

export type CsvRows = { header: string[]; rows: string[][]; hasMore: boolean; error?: Error };

/**
 * Read the first rows of a CSV text. The separator is the comma, semicolon or tab, whichever is most frequent in the
 * first line.
 */
export function readRows(text: string): CsvRows {
  const firstLine = text.slice(0, text.indexOf("\n") === -1 ? undefined : text.indexOf("\n"));
  const count = (sign: string) => firstLine.split(sign).length;
  const delimiter = [",", ";", "\t"].toSorted((a, b) => count(b) - count(a))[0] ?? ",";
  try {
    const read: string[][] = parse(text, { bom: true, delimiter, relax_column_count: true, to: mostRows + 2 });
    const [header = [], ...rows] = read;
    return { header, rows: rows.slice(0, mostRows), hasMore: rows.length > mostRows };
  } catch (error) {
    return { header: [], rows: [], hasMore: false, error: error as Error };
  }
}
