import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../../../platform/errors.ts";
import { MAX_IMPORT_ROWS } from "../../../platform/values/import-rows.ts";
import { type ImportFormat, type ImportRow, readImport } from "./import-rows.ts";

async function* parts(text: string | Uint8Array, size = 7): AsyncGenerator<Uint8Array> {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
}

async function rowsOf(format: ImportFormat, text: string | Uint8Array, size?: number): Promise<ImportRow[]> {
  const rows: ImportRow[] = [];
  for await (const row of readImport(format, parts(text, size))) rows.push(row);
  return rows;
}

const rulesOf = (row: ImportRow | undefined) =>
  row && "details" in row ? row.details.map((d) => [d.path, d.rule]) : [];

test("reads a CSV file with byte order mark, CRLF, quotes and empty lines, in any order of columns", async () => {
  const text = '\uFEFFregion,did,men,women\r\n"Kisumu, West",did:ixo:household/1,1,2\r\n\r\n,did:ixo:household/2,,\r\n';
  assert.deepEqual(await rowsOf("csv", text), [
    {
      row: 1,
      household: {
        did: "did:ixo:household/1",
        region: "Kisumu, West",
        householdSize: { men: 1, women: 2, children: 0, elderly: 0 },
      },
    },
    { row: 2, household: { did: "did:ixo:household/2" } },
  ]);
});

test("names everything that is wrong with a CSV row and continues", async () => {
  const text = "did,account,men\nnobody,0x12,two\ndid:ixo:household/1\ndid:ixo:household/2,,3\n";
  const rows = await rowsOf("csv", text);
  assert.deepEqual(rulesOf(rows[0]), [
    ["did", "format"],
    ["account", "format"],
    ["householdSize.men", "type"],
  ]);
  assert.deepEqual(rulesOf(rows[1]), [[undefined, "cell-count"]]);
  assert.ok(rows[2] && "household" in rows[2]);
});

test("refuses a file whose header lacks did, repeats a column or has unknown ones, naming each", async () => {
  await assert.rejects(rowsOf("csv", "account,account,age\n,,\n"), (error: AppError) => {
    assert.equal(error.code, "INVALID_INPUT");
    assert.deepEqual(
      error.details.map((d) => d.rule),
      ["column-once", "known-column", "column-present"],
    );
    return true;
  });
});

test("refuses a file with an open quote, bad encoding, no header, no rows or too many rows", async () => {
  const many = `did\n${"did:ixo:household/1\n".repeat(MAX_IMPORT_ROWS + 1)}`;
  const cases: [ImportFormat, string | Uint8Array, string][] = [
    ["csv", 'did\n"did:ixo:household/1\n', "csv"],
    ["csv", Buffer.from([0x64, 0x69, 0x64, 0x0a, 0xff, 0xfe]), "encoding"],
    ["csv", "", "header"],
    ["csv", "did\n", "rows"],
    ["ndjson", "\n\n", "rows"],
    ["csv", many, "row-limit"],
    ["ndjson", "x".repeat(20_000), "row-size"],
  ];
  for (const [format, text, rule] of cases) {
    await assert.rejects(
      rowsOf(format, text, 65_536),
      (error) => error instanceof AppError && error.details[0]?.rule === rule,
      rule,
    );
  }
});

test("reads JSON lines and answers for each bad line by itself", async () => {
  const lines = [
    '{"did":"did:ixo:household/1","householdSize":{"men":1,"women":1,"children":2,"elderly":0},"region":"Kisumu"}',
    "{oops",
    '{"did":"did:ixo:household/2","age":3}',
    "[]",
    '{"did":"did:ixo:household/3","householdSize":{"men":1.5}}',
  ];
  const rows = await rowsOf("ndjson", `\uFEFF${lines.join("\r\n")}`);
  assert.ok(rows[0] && "household" in rows[0] && rows[0].household.householdSize?.children === 2);
  assert.deepEqual(rows.slice(1).map(rulesOf), [
    [["body", "json"]],
    [["age", "unknown-field"]],
    [[undefined, "type"]],
    [["householdSize.men", "decimals"]],
  ]);
});

test("lets other work of the process continue while it reads a large file", async () => {
  const rows = 10_000;
  const dids = Array.from({ length: rows }, (_, i) => `did:ixo:household/${i}`);
  const files: [ImportFormat, string][] = [
    ["csv", ["did", ...dids].join("\n")],
    ["csv", ["did,men", ...dids.map((_, i) => `bad ${i},x`)].join("\n")],
    ["ndjson", dids.map((did) => JSON.stringify({ did })).join("\n")],
  ];
  for (const [format, text] of files) {
    let turns = 0;
    let isReading = true;
    const otherWork = () => {
      turns++;
      if (isReading) setImmediate(otherWork);
    };
    setImmediate(otherWork);
    assert.equal((await rowsOf(format, text, 65_536)).length, rows);
    isReading = false;
    assert.ok(turns >= rows / 200, `${format}: only ${turns} turns of other work`);
  }
});
