import type { Column } from "../column.ts";
import type { Rows } from "../rows.ts";
import type { FileWriter } from "./file-writer.ts";
import { sheetOf } from "./records.ts";

export type FileFormat = "csv" | "xlsx";

const open = {
  csv: async (header: string[]) => (await import("./csv-file.ts")).csvFile(header),
  xlsx: async (header: string[]) => (await import("./xlsx-file.ts")).xlsxFile(header),
};

type TableFile<Row> = {
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string;
  pages: NonNullable<Rows<Row>["pages"]>;
};

/**
 * Write all rows of a table, page by page.
 *
 * @param onRows called with the number of rows written so far
 * @throws the signal's reason when it is aborted; HearthError when a page cannot be read
 */
export async function writeTable<Row>(
  { columns, rowKey, pages }: TableFile<Row>,
  format: FileFormat,
  { signal, onRows }: { signal: AbortSignal; onRows: (count: number) => void },
): Promise<Blob> {
  // A row that moves to a later page while the table is read would be in the file twice.
  const written = new Set<string>();
  let sheet: ReturnType<typeof sheetOf<Row>> | undefined;
  let file: FileWriter | undefined;
  for await (const rows of pages(signal)) {
    signal.throwIfAborted();
    sheet ??= sheetOf(columns, rows);
    file ??= await open[format](sheet.header);
    const fresh = rows.filter((row) => !written.has(rowKey(row)));
    for (const row of fresh) written.add(rowKey(row));
    file.add(fresh.map(sheet.cells));
    onRows(written.size);
  }
  file ??= await open[format](sheetOf(columns, []).header);
  return file.end();
}
