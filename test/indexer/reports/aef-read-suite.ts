import assert from "node:assert/strict";
import { afterEach, before, beforeEach, describe, it } from "node:test";
import fc from "fast-check";
import { type Row, type TableName, tableNames } from "../../../indexer/reports/aef/fields.ts";
import { openSource, spanOf, yearBegin } from "../../../indexer/reports/aef/read.ts";
import { rowsOf, validate } from "../../../indexer/reports/aef/report.ts";
import { collect } from "./collect.ts";
import { type ReportDatabase, shareReportDatabase } from "./database.ts";
import { history } from "./history.ts";
import { insertHistory } from "./history-rows.ts";
import { insertScene, now } from "./scene.ts";

const date = new Date("2026-11-22T00:00:00Z");
const standing = { block: 1_000_000n, timestamp: now };

describe("the Article 6.2 tables from the indexer's rows", () => {
  let database: ReportDatabase;
  before(async () => {
    database = await shareReportDatabase();
    await insertScene(database);
  });
  beforeEach(() => database.run("begin"));
  afterEach(() => database.run("rollback"));

  const read = async (party: string, year: number, table: TableName, at = standing): Promise<Row[]> => {
    const source = await openSource(database.ask, party, spanOf(year, at));
    return collect(rowsOf(table, source, { party, year, version: "1.0", date }));
  };

  it("are the tables of the facts, whatever the history, for each Party", async () => {
    await fc.assert(
      fc.asyncProperty(history, async (told) => {
        await insertHistory(database, told);
        for (const party of ["ZMB", "CHE", "SWE"]) {
          const request = { party, year: 2026, version: "1.0", date };
          for (const table of tableNames) {
            const expected = await collect(rowsOf(table, told.sourceFor(party), request));
            assert.deepEqual(await read(party, 2026, table), expected, `${table} of ${party}`);
          }
        }
      }),
      { numRuns: 8 },
    );
  });

  it("pass their own checks", async () => {
    const source = await openSource(database.ask, "ZMB", spanOf(2026, standing));
    const { problems, unchecked } = await validate(source, { party: "ZMB", year: 2026, version: "1.0", date });
    assert.deepEqual([problems, unchecked], [[], []]);
  });

  it("hold at the end of a year what was held then, whatever came later", async () => {
    const later = yearBegin(2027);
    await database.run("update itmo_holding set held_until = $1 where block = 7", [later]);
    await database.run("insert into itmo_holding values (7, 99, 1, 'ZMB01', 7, 10, 'CHE', $1, null)", [later]);
    await database.run("insert into itmo_authorization_version values (1, 2, 30, 'more', 99, $1, '0x1')", [later]);
    const at = { ...standing, timestamp: later + 86_400n };
    const held = async (party: string, year: number) =>
      (await read(party, year, "holdings", at)).map((row) => row.FirstID);
    assert.deepEqual([await held("ZMB", 2026), await held("CHE", 2026)], [["7"], ["3"]]);
    assert.deepEqual([await held("ZMB", 2027), await held("CHE", 2027)], [[], ["3", "7"]]);
    const versions = async (year: number) =>
      (await read("ZMB", year, "authorizations", at)).map((row) => [row.AuthorizationVersion, row.AuthorizedQuantity]);
    assert.deepEqual(await versions(2026), [[1, 20n]]);
    assert.deepEqual(await versions(2027), [[2, 30n]]);
    assert.deepEqual(await read("ZMB", 2027, "actions", at), []);
  });

  it("hold no unit beyond a reduction to what was first transferred, also if that was reached later", async () => {
    const held = async () => (await read("ZMB", 2026, "holdings")).map((row) => row.FirstID);
    const insert = (sequence: number, kind: string, quantity: number | null) =>
      database.run("insert into authorization_change values ($1, 1, $2, 'NDC', $3, 1, 'Letter', 1, '0x1')", [
        sequence,
        kind,
        quantity,
      ]);
    await insert(96, "reduction", 7);
    assert.deepEqual(await held(), ["7"]);
    await insert(97, "reduction", 6);
    assert.deepEqual(await held(), []);
    await insert(98, "veto", null);
    assert.deepEqual(await held(), ["7"]);
    await database.run(
      "update itmo_action set quantity = quantity + 1 where sequence = (select min(sequence) from itmo_action where action = 'First transfer')",
    );
    assert.deepEqual(await held(), []);
  });

  it("hold no unit whose authorization was revoked before its first transfer, from when that was final", async () => {
    const end = yearBegin(2027);
    const held = async (party: string) => (await read(party, 2026, "holdings")).map((row) => row.FirstID);
    const before = [await held("ZMB"), await held("CHE")];
    assert.deepEqual(before, [["7"], ["3"]]);
    const insert = (sequence: number, kind: string, finalAt: bigint | null) =>
      database.run("insert into authorization_change values ($1, 1, $2, null, 7, $3, 'Letter', 1, '0x1')", [
        sequence,
        kind,
        finalAt,
      ]);
    await insert(97, "reduction", 1n);
    assert.deepEqual([await held("ZMB"), await held("CHE")], before);
    await insert(98, "revocation", end);
    assert.deepEqual([await held("ZMB"), await held("CHE")], before);
    await database.run("update authorization_change set final_at = $1 where sequence = 98", [standing.timestamp]);
    assert.deepEqual([await held("ZMB"), await held("CHE")], [[], ["3"]]);
    await insert(99, "veto", null);
    assert.deepEqual([await held("ZMB"), await held("CHE")], before);
  });

  it("say in an authorization's explanation what was taken away until the end of the year", async () => {
    const later = yearBegin(2027);
    const insert = (sequence: number, values: string, at: bigint) =>
      database.run(`insert into authorization_change values (${sequence}, 1, ${values}, $1, '0x1')`, [at]);
    await insert(97, `'reduction', 'NDC', 12, 1, 'Letter 2'`, later - 86_400n);
    await insert(98, `'veto', null, null, null, 'Not agreed'`, later - 86_400n);
    await insert(99, `'revocation', null, 6, 1, 'Letter 3'`, later);
    const explained = async (year: number) =>
      (await read("ZMB", year, "authorizations", { ...standing, timestamp: later + 86_400n })).map(
        (row) => row.AdditionalExplanatoryInformation,
      );
    const before = "Reduction of 2026-12-31: NDC, 12 t. Letter 2 Veto of 2026-12-31. Not agreed";
    assert.deepEqual(await explained(2026), [before]);
    assert.deepEqual(await explained(2027), [`${before} Revocation of 2027-01-01. Letter 3`]);
  });

  it("name what the invalidation buffer held at minting, and why it cancelled units", async () => {
    const notes = async (type: string) =>
      (await read("ZMB", 2026, "actions"))
        .filter(({ ActionType }) => ActionType === type)
        .map((row) => String(row.AdditionalExplanatoryInformation));
    const [plain] = await notes("Authorization");
    await database.run("insert into buffer_hold values (1, 9, 10, 2, 0, 2, 0, 1893456000, 1, 0, '0x1')");
    const held = await notes("Authorization");
    assert.equal(held[0], `Invalidation buffer: serials 9 to 10 until 2030-01-01. ${plain}`);
    const last = "(select max(sequence) from itmo_action)";
    await database.run(
      `update itmo_action set action = 'Cancellation', subtype = 'Other cancellations', using_party = 'ZMB',
         transferring_party = null, acquiring_party = null, conversion = 1, first_id = 9, last_id = 10, transaction_hash = '0x9', note = ''
       where sequence = ${last}`,
    );
    await database.run("insert into buffer_change values (98, 1, 'cancellation', 1, 9, 10, 2, 0, '0x9')");
    const [cancelled] = await notes("Cancellation");
    assert.match(cancelled ?? "", /^Cancelled from the invalidation buffer: certificate CERT-1 was revoked\. /);
  });

  it("call shares at minting mandatory where the approach is under Article 6.4, and no others", async () => {
    const omge = "subtype = 'Voluntary cancellation to deliver OMGE', action = 'Cancellation'";
    await database.run(`update itmo_action set ${omge} where sequence in (33::bigint << 24, 34::bigint << 24)`);
    await database.run(
      "update itmo_action set using_party = 'ZMB', transferring_party = null where using_party is null",
    );
    await database.run(
      "update itmo_action set transaction_hash = (select end_transaction_hash from itmo_conversion) where sequence = 33::bigint << 24",
    );
    const subtypes = async () =>
      (await read("ZMB", 2026, "actions")).map((row) => row.ActionSubtype).filter((each) => /OMGE/.test(String(each)));
    const voluntary = "Voluntary cancellation to deliver OMGE";
    assert.deepEqual(await subtypes(), [voluntary, voluntary]);
    const record = (number: number, choice: string) =>
      database.run(
        "insert into parameter values ($1, 'mechanism', 'CA0001', 2, 0, $2, 'Letter', null, 0, null, null, 0, '0x')",
        [number, choice],
      );
    await record(1, "article-6.4");
    assert.deepEqual(await subtypes(), ["Mandatory cancellation to deliver OMGE", voluntary]);
    await record(2, "article-6.2");
    assert.deepEqual(await subtypes(), [voluntary, voluntary]);
  });

  it("tell nothing of what came after the block that the index stood at", async () => {
    const at = { ...standing, block: 31n };
    const types = (await read("ZMB", 2026, "actions", at)).map((row) => row.ActionType);
    assert.deepEqual(types, ["Authorization", "First transfer"]);
  });

  it("say that underlying units are not known where the conversion's lots are not", async () => {
    await database.run("delete from conversion_lot");
    const [first] = await read("ZMB", 2026, "holdings");
    assert.equal(first?.UnderlyingUnitRegistryID, undefined);
    const source = await openSource(database.ask, "ZMB", spanOf(2026, standing));
    const { unchecked } = await validate(source, { party: "ZMB", year: 2026, version: "1.0", date });
    assert.match(unchecked[0]?.reason ?? "", /name no single underlying range/);
    const [birth] = await read("ZMB", 2026, "actions");
    assert.match(String(birth?.AdditionalExplanatoryInformation), /not known/);
  });

  it("of a Party that takes part in nothing are empty and would be refused", async () => {
    const source = await openSource(database.ask, "NOR", spanOf(2026, standing));
    const { problems } = await validate(source, { party: "NOR", year: 2026, version: "1.0", date });
    assert.deepEqual(
      problems.map(({ field }) => field),
      ["FirstYearOfNDCPeriod", "LastYearOfNDCPeriod"],
    );
  });
});
