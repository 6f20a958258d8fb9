import { makeZip } from "client-zip";
import { writeRecords } from "../csv-records.ts";
import { fieldsOf, type KeySpelling, keyOf, type TableName, tableNames, titleOf } from "./fields.ts";
import { inPages } from "./pages.ts";
import { type AefRequest, type AefSource, cellsOf, rowsOf } from "./report.ts";

const rowsPerChunk = 500;

/** Write one table: a header, then a record for each row. */
export async function* csvOf(
  table: TableName,
  source: AefSource,
  request: AefRequest,
  spelling: KeySpelling,
): AsyncGenerator<string> {
  yield writeRecords([fieldsOf[table].map((field) => keyOf(field, spelling))]);
  for await (const page of inPages(rowsOf(table, source, request), rowsPerChunk)) {
    yield writeRecords(page.map((row) => cellsOf(table, row)));
  }
}

/** Write all tables as a zip with one file per table. */
export function csvZipOf(source: AefSource, request: AefRequest, spelling: KeySpelling): ReadableStream<Uint8Array> {
  const files = tableNames.map((table, i) => ({
    name: `${i + 1} ${titleOf[table]}.csv`,
    input: csvOf(table, source, request, spelling),
    lastModified: request.date,
  }));
  return makeZip(files, { buffersAreUTF8: true });
}
