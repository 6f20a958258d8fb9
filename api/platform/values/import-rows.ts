import { setImmediate as nextTurn } from "node:timers/promises";
import { unreadable } from "./csv.ts";

export const MAX_IMPORT_ROWS = 100_000;
/** Rows that are read before other requests get their turn: a few milliseconds. */
const ROWS_PER_TURN = 100;
const PART_BYTES = 65_536;

/**
 * Pass on the rows of an import, and let other requests continue in between.
 * @throws AppError INVALID_INPUT when there are no rows or more than MAX_IMPORT_ROWS
 */
export async function* limitRows<Row>(rows: AsyncIterable<Row>): AsyncGenerator<Row> {
  let count = 0;
  for await (const row of rows) {
    count += 1;
    if (count % ROWS_PER_TURN === 0) await nextTurn();
    if (count > MAX_IMPORT_ROWS) throw unreadable("row-limit", `An import has at most ${MAX_IMPORT_ROWS} rows.`);
    yield row;
  }
  if (count === 0) throw unreadable("rows", "The file has no rows.");
}

/** Cut a body into parts, so that a reader decodes it in bounded memory. */
export async function* inParts(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += PART_BYTES) yield bytes.subarray(start, start + PART_BYTES);
}
