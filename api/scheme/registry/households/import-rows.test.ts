import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import ExcelJS, { type Worksheet } from "exceljs";
import { unzipSync, zipSync } from "fflate";
import { AppError } from "../../../platform/errors.ts";
import { MAX_IMPORT_ROWS } from "../../../platform/values/import-rows.ts";
import { type ImportFormat, type ImportRow, readImport } from "./import-rows.ts";

async function rowsOf(format: ImportFormat, text: string | Uint8Array, size = 7): Promise<ImportRow[]> {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  const rows: ImportRow[] = [];
  for await (const row of readImport(format, bytes, size)) rows.push(row);
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

test("reads CSV of spreadsheets that separate cells by semicolons or tabs, whatever the cells contain", async () => {
  const wanted = [
    { row: 1, household: { did: "did:ixo:household/1", region: "Kisumu, West; North" } },
    { row: 2, household: { did: "did:ixo:household/2", region: "Kisii" } },
  ];
  const semicolons = '\uFEFFdid;region\r\ndid:ixo:household/1;"Kisumu, West; North"\r\ndid:ixo:household/2;Kisii\r\n';
  assert.deepEqual(await rowsOf("csv", semicolons), wanted);
  assert.deepEqual(await rowsOf("csv", semicolons, 65_536), wanted);
  const tabs = "did\tregion\ndid:ixo:household/1\tKisumu, West; North\ndid:ixo:household/2\tKisii";
  assert.deepEqual(await rowsOf("csv", tabs), wanted);
  assert.deepEqual(await rowsOf("csv", "did\ndid:ixo:household/1;x\n"), [
    { row: 1, household: { did: "did:ixo:household/1;x" } },
  ]);
});

describe("a workbook", () => {
  const workbook = async (rows: unknown[][], change?: (sheet: Worksheet) => void) => {
    const book = new ExcelJS.Workbook();
    const sheet = book.addWorksheet("Households");
    for (const row of rows) sheet.addRow(row);
    change?.(sheet);
    book.addWorksheet("Notes").addRow(["not read"]);
    return new Uint8Array(await book.xlsx.writeBuffer());
  };

  it("is read as CSV is: numbers, texts in parts, empty rows and cells", async () => {
    const bytes = await workbook([
      ["Region", "did", "men", "women"],
      ["Lusaka", "did:x:1", 2, "3"],
      [],
      [null, "did:x:2"],
    ]);
    assert.deepEqual(await rowsOf("xlsx", bytes), [
      {
        row: 1,
        household: {
          did: "did:x:1",
          region: "Lusaka",
          householdSize: { men: 2, women: 3, children: 0, elderly: 0 },
        },
      },
      { row: 2, household: { did: "did:x:2" } },
    ]);
    const rich = await workbook(
      [
        ["did", "region"],
        ["did:x:1", ""],
      ],
      (sheet) => {
        sheet.getCell("B2").value = { richText: [{ text: "Lu" }, { text: "saka", font: { bold: true } }] };
      },
    );
    const [row] = await rowsOf("xlsx", rich);
    assert.ok(row !== undefined && "household" in row && row.household.region === "Lusaka");
  });

  it("gives each bad row its own errors, and never evaluates a formula", async () => {
    const bytes = await workbook(
      [
        ["did", "men"],
        ["nobody", 1.5],
        ["did:x:1", 1, "more"],
      ],
      (sheet) => {
        sheet.getCell("A4").value = { formula: "1+1", result: "did:x:4" };
      },
    );
    const rows = await rowsOf("xlsx", bytes);
    assert.deepEqual(rows.map(rulesOf), [
      [
        ["did", "format"],
        ["householdSize.men", "type"],
      ],
      [[undefined, "cell-count"]],
      [],
    ]);
  });

  it("is refused when it is not a workbook, is damaged, or unpacks to too much", async () => {
    const good = await workbook([["did"], ["did:x:1"]]);
    const parts = unzipSync(good);
    const sheet = "xl/worksheets/sheet1.xml";
    const zipped = (change: Record<string, Uint8Array>) => zipSync({ ...parts, ...change });
    const xml = (text: string) => new TextEncoder().encode(text);
    const without = { ...parts };
    delete without["xl/workbook.xml"];
    const bomb = `<worksheet><sheetData>${" ".repeat(140 * 1024 * 1024)}</sheetData></worksheet>`;
    const lying = zipped({ [sheet]: xml(`<worksheet>${"<row/>".repeat(1_000_000)}</worksheet>`) });
    stateSize(lying, sheet, 10);
    const cases: [Uint8Array, string][] = [
      [xml("did\n"), "xlsx"],
      [good.slice(0, good.length / 2), "xlsx"],
      [zipSync(without), "xlsx"],
      [zipped({ [sheet]: xml("<worksheet><sheetData><row>") }), "xlsx"],
      [zipped({ [sheet]: xml('<!DOCTYPE x [<!ENTITY a "b">]><worksheet>&a;</worksheet>') }), "xlsx"],
      [zipped({ [sheet]: xml('<worksheet><row><c r="A1" t="s"><v>99</v></c></row></worksheet>') }), "xlsx"],
      [zipped({ [sheet]: xml('<worksheet><row><c r="XFD1"><v>1</v></c></row></worksheet>') }), "xlsx"],
      [zipped({ [sheet]: xml(`<worksheet><row><c><v>${"9".repeat(20_000)}</v></c></row></worksheet>`) }), "row-size"],
      [zipped({ [sheet]: xml("<worksheet/>") }), "header"],
      [zipped({ [sheet]: xml(bomb) }), "unpacked-size"],
      [lying, "xlsx"],
    ];
    for (const [bytes, rule] of cases) {
      await assert.rejects(
        rowsOf("xlsx", bytes),
        (error) => error instanceof AppError && error.details[0]?.rule === rule,
        rule,
      );
    }
  });
});

/** Make a ZIP's directory state another unpacked size of an entry. */
function stateSize(zip: Uint8Array, name: string, size: number): void {
  const bytes = Buffer.from(zip.buffer, zip.byteOffset, zip.byteLength);
  const directory = bytes.lastIndexOf(name) - 46;
  assert.equal(bytes.readUInt32LE(directory), 0x02014b50);
  bytes.writeUInt32LE(size, directory + 24);
}
