import assert from "node:assert/strict";
import { test } from "node:test";
import type { AppError } from "../errors.ts";
import { readCsvRows } from "./csv.ts";

async function refusalOf(bytes: Uint8Array): Promise<string> {
  async function* parts() {
    yield bytes;
  }
  try {
    for await (const _ of readCsvRows(parts(), { known: ["did"], required: ["did"] }));
  } catch (error) {
    return (error as AppError).message;
  }
  return "";
}

test("says of a workbook that it is not a CSV text, instead of naming its bytes as columns", async () => {
  const message = await refusalOf(Buffer.from("PK\u0003\u0004junk,more\n1,2\n"));
  assert.match(message, /^This is not a CSV text\. If it is an Excel file, save it as CSV/);
  assert.doesNotMatch(message, /junk/);
});

test("names a column that it does not know, also of a file with tabs", async () => {
  assert.notEqual(await refusalOf(Buffer.from("name\n1\n")), "");
  assert.doesNotMatch(await refusalOf(Buffer.from("did\tregion\n1\t2\n")), /not a CSV text/);
  assert.equal(await refusalOf(Buffer.from("did\n1\n")), "");
});
