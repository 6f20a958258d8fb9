import { once } from "node:events";
import { PassThrough, type Writable } from "node:stream";
import type excel from "exceljs";
import { fieldsOf, type KeySpelling, keyOf, type TableName, tableNames, titleOf } from "./fields.ts";
import { withoutFormula } from "./formula.ts";
import { type AefRequest, type AefSource, cellsOf, rowsOf } from "./report.ts";

type Sheet = ReturnType<InstanceType<typeof excel.stream.xlsx.WorkbookWriter>["addWorksheet"]>;

/** Largest number that a spreadsheet shows exactly; a larger one would lose digits. */
const asNumber = (value: bigint) => (value <= 999_999_999_999_999n ? Number(value) : value.toString());

/**
 * Wait until the client has read what was written. The library has no backpressure: it passes every row to the zip immediately,
 * so a report that is fetched slowly would be in memory as a whole.
 */
async function taken(sheet: Sheet, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { pipes } = (sheet as unknown as { stream: { pipes: Writable[] } }).stream;
  for (const pipe of pipes) if (pipe.writableNeedDrain) await once(pipe, "drain", { signal });
}

async function writeTable(
  sheet: Sheet,
  table: TableName,
  [source, request, spelling]: [AefSource, AefRequest, KeySpelling],
  signal: AbortSignal,
): Promise<void> {
  sheet.addRow(fieldsOf[table].map((field) => keyOf(field, spelling))).commit();
  for await (const row of rowsOf(table, source, request)) {
    const cells = cellsOf(table, row).map(withoutFormula);
    sheet.addRow(cells.map((cell) => (typeof cell === "bigint" ? asNumber(cell) : cell))).commit();
    await taken(sheet, signal);
  }
  sheet.commit();
}

/** Write one workbook with a sheet for each table, as a stream. */
export function xlsxOf(source: AefSource, request: AefRequest, spelling: KeySpelling): PassThrough {
  const output = new PassThrough();
  const stop = new AbortController();
  output.once("close", () => stop.abort());
  const created = request.date;
  const options = { stream: output, useSharedStrings: false, useStyles: false, created, modified: created };
  const write = async () => {
    const { default: excel } = await import("exceljs");
    const workbook = new excel.stream.xlsx.WorkbookWriter(options);
    for (const table of tableNames) {
      const sheet = workbook.addWorksheet(titleOf[table]);
      await writeTable(sheet, table, [source, request, spelling], stop.signal);
    }
    await workbook.commit();
  };
  write().catch((error: Error) => output.destroy(error));
  return output;
}
