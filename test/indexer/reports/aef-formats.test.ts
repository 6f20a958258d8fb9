import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import type { Readable } from "node:stream";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { parse } from "csv-parse/sync";
import excel from "exceljs";
import { type Entry, fromBuffer, type Options, type ZipFile } from "yauzl";
import { csvOf, csvZipOf } from "../../../indexer/reports/aef/csv.ts";
import { fieldsOf, tableNames, titleOf } from "../../../indexer/reports/aef/fields.ts";
import { jsonOf } from "../../../indexer/reports/aef/json.ts";
import type { AefSource } from "../../../indexer/reports/aef/report.ts";
import { xlsxOf } from "../../../indexer/reports/aef/xlsx.ts";
import { collect } from "./collect.ts";
import { tellOne } from "./told.ts";

const request = { party: "ZMB", year: 2026, version: "1.0", date: new Date("2026-11-22T00:00:00Z") };
const notes = { block: 7n, asOf: "2026-11-22T00:00:00.000Z", frozen: false };
const source = () => tellOne().sourceFor("ZMB");
const golden = (name: string) => new URL(`golden/${name}`, import.meta.url);

/** Compare with a file that a person has reviewed; `GOLDEN=write` writes it again. */
async function assertGolden(name: string, text: string): Promise<void> {
  if (process.env.GOLDEN === "write") await writeFile(golden(name), text);
  assert.equal(text, await readFile(golden(name), "utf8"));
}

const joined = async (pieces: AsyncIterable<string>) => (await collect(pieces)).join("");

/** Names and texts of a zip's files. */
async function unzip(bytes: Buffer): Promise<Map<string, string>> {
  const zip = await promisify<Buffer, Options, ZipFile>(fromBuffer)(bytes, { lazyEntries: true });
  const open = promisify<Entry, Readable>(zip.openReadStream.bind(zip));
  const files = new Map<string, string>();
  const next = () =>
    new Promise<Entry | undefined>((resolve) => {
      zip.once("entry", resolve);
      zip.once("end", () => resolve(undefined));
      zip.readEntry();
    });
  for (let entry = await next(); entry !== undefined; entry = await next()) {
    files.set(entry.fileName, Buffer.concat(await collect(await open(entry))).toString());
  }
  return files;
}

const named = (prefix: string, names: string) => names.split(/\s+/).map((name) => `${prefix}${name}`);
/** The columns of the five tables in version 2 of the Climate Action Data Trust's data model, in alphabetical order. */
const cadTrustNames: Record<(typeof tableNames)[number], string[]> = {
  submission: named(
    "aefT1Submission",
    `NdcFirstYear NdcLastYear Party ReferenceReviewReport ReportYear ResultCheck ReviewStatus SubmissionDate Version`,
  ),
  authorizations: named(
    "aefT2Authorizations",
    `ActivityType AdditionalInformation ApplicableNonGhgMetric AuthorizationDocumentation AuthorizationTerms
    AuthorizedPartyId AuthorizedTimeframe AuthoziedEntityId CooperativeApproachId Date FirstTransferDefinitionOimp
    GwpValue Id Metric OimpAuthorizedParty PurposesForAuthorization Quantity Sector Version`,
  ),
  actions: named(
    "aefT3Actions",
    `AcquiringPartyId AdditionalInformation ApplicableNonGhgMetric AuthorizationId ConsistencyCheckResult
    CooperativeApproachId Date FirstTransferringPartyId GwpValue ItmoFirstId ItmoLastId ItmoUsedYear Metric
    MitigationType PartyItmoRegistryId PurposeOfUseOimp QuantityNonGhg QuantityTCo2 Subtype TransferringPartyId Type
    UnitFirstId UnitLastId UnitRegistryId UsingAuthorizedEntityId UsingParticipatingPartyId VintageYear`,
  ),
  holdings: named(
    "aefT4Holdings",
    `ApplicableNonGhgMetric AuthorizationId CooperativeApproachId FirstTransferringPartyId GwpValue ItmoFirstId
    ItmoLastId Metric MitigationType PartyItmoRegistryId QuantityNonGhg QuantityTCo2 UnitFirstId UnitLastId
    UnitRegistryId VintageYear`,
  ),
  authorizedEntities: named(
    "aefT5AuthorizedEntities",
    "AdditionalInformation AuthorizationDate ChangeConditions Conditions CooperativeApproachId Id IncorporationCountry Name",
  ),
};

describe("the formats of a report", () => {
  it("writes JSON with the technical names in order", async () => {
    const text = await joined(jsonOf(source(), request, "technical", notes));
    const report = JSON.parse(text) as { tables: Record<string, Record<string, unknown>[]>; validation: unknown[] };
    assert.deepEqual(Object.keys(report.tables), tableNames);
    for (const table of tableNames) {
      const names = fieldsOf[table].map(({ name }) => name);
      for (const row of report.tables[table] ?? []) assert.deepEqual(Object.keys(row), names);
    }
    assert.deepEqual(report.validation, []);
    await assertGolden("aef.json.txt", `${JSON.stringify(report, null, 1)}\n`);
  });

  it("writes the same rows under the keys of CAD Trust's data model", async () => {
    const report = JSON.parse(await joined(jsonOf(source(), request, "cad-trust", notes)));
    assert.equal(report.tables.submission[0].aefT1SubmissionParty, "ZMB");
    assert.equal(report.tables.authorizations[0].aefT2AuthorizationsAuthoziedEntityId, "ENT-1");
    assert.equal(report.tables.actions[0].aefT3ActionsQuantityTCo2, 20);
    assert.equal(report.tables.holdings[0].aefT4HoldingsVintageYear, 2025);
    assert.equal(report.tables.authorizedEntities[0].aefT5AuthorizedEntitiesId, "ENT-1");
  });

  it("knows every name of CAD Trust's data model, and no other", () => {
    for (const table of tableNames) {
      const names = fieldsOf[table].map(({ cadTrust }) => cadTrust);
      assert.deepEqual(names.sort(), cadTrustNames[table].sort(), table);
    }
  });

  it("writes one CSV for each table into a zip, a header and a record for each row", async () => {
    const bytes = Buffer.from(await new Response(csvZipOf(source(), request, "technical")).arrayBuffer());
    const files = await unzip(bytes);
    assert.deepEqual(
      [...files.keys()],
      tableNames.map((table, i) => `${i + 1} ${titleOf[table]}.csv`),
    );
    for (const [i, table] of tableNames.entries()) {
      const text = files.get(`${i + 1} ${titleOf[table]}.csv`) ?? "";
      assert.equal(text, await joined(csvOf(table, source(), request, "technical")));
      await assertGolden(`${table}.csv`, text);
    }
  });

  it("writes text that a spreadsheet would run with an apostrophe before it, and other text as it is", async () => {
    const [row] = parse(await joined(csvOf("authorizedEntities", source(), request, "technical")), {
      columns: true,
    }) as Record<string, string>[];
    assert.deepEqual([row?.Name, row?.Conditions], ["'=Stove Fund", "'+none"]);
    const hostile = { ...source() };
    const names = ["@sum", "-1", "\tx", "\rx", "a=b", 'a,"b"\r\nc'];
    hostile.authorizations = hostile.authorizations.slice(0, 1).map((each) => ({
      ...each,
      entities: names.map((name, i) => ({ name, country: "CHE", entityId: `ENT-${i}` })),
    }));
    const rows = parse(await joined(csvOf("authorizedEntities", hostile, request, "technical")), { columns: true });
    assert.deepEqual(
      (rows as Record<string, string>[]).map(({ Name }) => Name),
      ["'@sum", "'-1", "'\tx", "'\rx", "a=b", 'a,"b"\r\nc'],
    );
  });

  it("writes a workbook of five sheets with the cells of the CSV", async () => {
    const workbook = new excel.Workbook();
    const bytes = Buffer.concat(await collect(xlsxOf(source(), request, "technical") as AsyncIterable<Buffer>));
    await workbook.xlsx.load(bytes as unknown as Parameters<typeof workbook.xlsx.load>[0]);
    assert.deepEqual(
      workbook.worksheets.map(({ name }) => name),
      tableNames.map((table) => titleOf[table]),
    );
    for (const table of tableNames) {
      const sheet = workbook.getWorksheet(titleOf[table]);
      const expected = parse(await joined(csvOf(table, source(), request, "technical"))) as string[][];
      const width = fieldsOf[table].length;
      const cells = Array.from({ length: sheet?.rowCount ?? 0 }, (_, r) =>
        Array.from({ length: width }, (_, c) => sheet?.getCell(r + 1, c + 1)),
      );
      assert.deepEqual(
        cells.map((row) => row.map((cell) => `${cell?.value ?? ""}`)),
        expected,
      );
      assert.ok(cells.flat().every((cell) => cell?.type !== excel.ValueType.Formula));
    }
    const quantity = workbook.getWorksheet("Holdings")?.getRow(2);
    assert.equal(
      typeof quantity?.getCell(fieldsOf.holdings.findIndex(({ name }) => name === "QuantityCO2") + 1).value,
      "number",
    );
  });

  it("keeps all twenty digits of a serial in every format", async () => {
    const last = 2n ** 64n - 1n;
    const [holding] = await collect(source().holdings());
    assert.ok(holding);
    const wide: AefSource = {
      ...source(),
      async *holdings() {
        yield { ...holding, firstId: last, lastId: last };
      },
    };
    const report = JSON.parse(await joined(jsonOf(wide, request, "technical", notes)));
    assert.equal(report.tables.holdings[0].LastID, `${last}`);
    assert.ok((await joined(csvOf("holdings", wide, request, "technical"))).includes(`,${last},`));
    const workbook = new excel.Workbook();
    const bytes = Buffer.concat(await collect(xlsxOf(wide, request, "technical") as AsyncIterable<Buffer>));
    await workbook.xlsx.load(bytes as unknown as Parameters<typeof workbook.xlsx.load>[0]);
    assert.equal(workbook.getWorksheet("Holdings")?.getCell("F2").value, `${last}`);
  });

  it("stops reading when the reader of a workbook goes away", async () => {
    let read = 0;
    const [action] = await collect(source().actions());
    assert.ok(action);
    const endless: AefSource = {
      ...source(),
      async *actions() {
        for (;;) {
          read += 1;
          if (read % 100 === 0) await new Promise(setImmediate);
          yield action;
        }
      },
    };
    const output = xlsxOf(endless, request, "technical");
    output.on("error", () => undefined);
    await new Promise((resolve) => output.once("readable", resolve));
    output.destroy();
    await new Promise((resolve) => setTimeout(resolve, 50));
    const then = read;
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(read, then);
  });
});
