import { stringify } from "csv-stringify/browser/esm/sync";
import type { FileWriter } from "./file-writer.ts";

/** Write a CSV file (RFC 4180, UTF-8). */
export function csvFile(header: string[]): FileWriter {
  const parts: BlobPart[] = [];
  const add = (rows: string[][]) => void parts.push(stringify(rows, { record_delimiter: "windows" }));
  add([header]);
  return { add, end: () => new Blob(parts, { type: "text/csv;charset=utf-8" }) };
}
