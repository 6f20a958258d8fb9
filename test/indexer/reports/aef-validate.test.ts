import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { tonne } from "../../../indexer/lib/lots.ts";
import { type Row, type TableName, tableNames } from "../../../indexer/reports/aef/fields.ts";
import { rowsOf } from "../../../indexer/reports/aef/report.ts";
import { type ValidationContext, Validator } from "../../../indexer/reports/aef/validate.ts";
import { collect } from "./collect.ts";
import { tellOne } from "./told.ts";

type Tables = Record<TableName, Row[]>;
const party = "ZMB";
const request = { party, year: 2026, version: "1.0", date: new Date("2026-11-22T00:00:00Z") };

/** Units that each verify a number of tonnes. */
const each = (tonnes: bigint) => () => ({ verified: tonnes * tonne, count: 1n });

function check(tables: Tables, capacityOf: ValidationContext["capacityOf"] = each(100_000n)) {
  const validator = new Validator({ year: 2026, capacityOf });
  for (const table of tableNames) for (const row of tables[table]) validator.add(table, row);
  return validator.finish();
}

/** Row of an action of a type, counted from 1. */
const rowOf = (rows: Row[], type: string, given: (row: Row) => boolean = () => true): number =>
  rows.findIndex((row) => row.ActionType === type && given(row)) + 1;

describe("the validator", () => {
  let tables: Tables;
  before(async () => {
    const entries = tableNames.map(async (table) => [
      table,
      await collect(rowsOf(table, tellOne().sourceFor(party), request)),
    ]);
    tables = Object.fromEntries(await Promise.all(entries)) as Tables;
  });

  /** The tables with one row altered. */
  const altered = (table: TableName, row: number, change: Row): Tables => ({
    ...tables,
    [table]: tables[table].map((each, i) => (i + 1 === row ? { ...each, ...change } : each)),
  });
  /** Require the problem to be reported at its place, and none for the unchanged tables. */
  const assertTold = (changed: Tables, expected: { table: TableName; row?: number; field: string; like: RegExp }) => {
    const { problems } = check(changed);
    const found = problems.find(
      ({ table, row, field, problem }) =>
        table === expected.table &&
        field === expected.field &&
        expected.like.test(problem) &&
        (expected.row === undefined || row === expected.row),
    );
    assert.ok(found, JSON.stringify(problems, null, 1));
  };

  it("finds nothing in the tables of an honest history", () => {
    assert.deepEqual(check(tables).problems, []);
    assert.ok(tables.actions.length > 6 && tables.holdings.length > 1);
  });

  it("finds an action or a holding whose authorization is not in the table", () => {
    const AuthorizationID = "AUTH-9";
    const like = /not in the table of authorizations/;
    assertTold(altered("actions", 1, { AuthorizationID }), {
      table: "actions",
      row: 1,
      field: "AuthorizationID",
      like,
    });
    const held = altered("holdings", 2, { AuthorizationID });
    assertTold(held, { table: "holdings", row: 2, field: "AuthorizationID", like });
  });

  it("finds an entity that is in no row of the authorized entities", () => {
    const like = /not in the table of authorized entities/;
    const row = rowOf(tables.actions, "Use");
    const changed = altered("actions", row, { "Using/cancellingEntityID": "ENT-9" });
    assertTold(changed, { table: "actions", row, field: "Using/cancellingEntityID", like });
    const named = altered("authorizations", 1, { AuthorizedEntityIDs: "ENT-8; ENT-1" });
    assertTold(named, { table: "authorizations", row: 1, field: "AuthorizedEntityIDs", like });
  });

  it("finds serials out of order, and a quantity that is not theirs", () => {
    const { FirstID } = tables.holdings[0] as Row;
    const LastID = `${BigInt(String(FirstID)) - 1n}`;
    assertTold(altered("holdings", 1, { LastID }), {
      table: "holdings",
      row: 1,
      field: "LastID",
      like: /before FirstID/,
    });
    const changed = altered("actions", 1, { QuantityCO2: 1n });
    assertTold(changed, { table: "actions", row: 1, field: "QuantityCO2", like: /number of serials/ });
  });

  it("finds holdings that overlap", () => {
    const twice = { ...tables, holdings: [...tables.holdings, tables.holdings[0] as Row] };
    assertTold(twice, {
      table: "holdings",
      row: tables.holdings.length + 1,
      field: "FirstID",
      like: /overlaps the holding/,
    });
  });

  it("finds used or cancelled units that are held", () => {
    const action = tables.actions[rowOf(tables.actions, "Use") - 1] as Row;
    const held = tables.holdings.find((row) => row.AuthorizationID === action.AuthorizationID) as Row;
    const units = { FirstID: action.FirstID, LastID: action.LastID, QuantityCO2: action.QuantityCO2 } as Row;
    const changed = { ...tables, holdings: [...tables.holdings, { ...held, ...units }] };
    assertTold(changed, { table: "holdings", field: "FirstID", like: /held though/ });
  });

  it("finds units that are used or cancelled twice", () => {
    const action = tables.actions[rowOf(tables.actions, "Use") - 1] as Row;
    const changed = { ...tables, actions: [...tables.actions, action] };
    assertTold(changed, { table: "actions", field: "FirstID", like: /used or cancelled before/ });
  });

  for (const [field, value] of [
    ["Vintage", 2024],
    ["FirstTransferringPartyID", "CHE"],
    ["MitigationType", "Removals"],
  ] as const) {
    it(`finds a block whose ${field} changes`, () => {
      const changed = altered("actions", 1, { [field]: value });
      const { problems } = check(changed);
      assert.ok(
        problems.some(({ problem }) => problem.includes(field) && problem.includes("differ from")),
        JSON.stringify(problems),
      );
    });
  }

  it("finds units that are first transferred again, also when it is a part of them", () => {
    const row = rowOf(tables.actions, "First transfer", ({ AcquiringPartyID }) => AcquiringPartyID !== null);
    const first = tables.actions[row - 1] as Row;
    const part = { ...first, LastID: first.FirstID, QuantityCO2: 1n } as Row;
    const changed = { ...tables, actions: [...tables.actions, part] };
    assertTold(changed, { table: "actions", field: "FirstID", like: /was first transferred before/ });
  });

  it("finds a vintage after the year, and an action outside the year", () => {
    assertTold(altered("holdings", 1, { Vintage: 2027 }), {
      table: "holdings",
      row: 1,
      field: "Vintage",
      like: /after the reported year/,
    });
    assertTold(altered("actions", 1, { ActionDateTime: "2025-12-31T23:59:59.000Z" }), {
      table: "actions",
      row: 1,
      field: "ActionDateTime",
      like: /not in the reported year/,
    });
  });

  it("finds a use outside the NDC period, a use for nothing, and a year where nothing is used", () => {
    const field = "YearITMOUsedTowardsNDC";
    const row = rowOf(tables.actions, "Use");
    const late = altered("actions", row, { PurposeITMOUsedForOIMP: null, [field]: 2031 });
    assertTold(late, { table: "actions", row, field, like: /outside the NDC period/ });
    const idle = altered("actions", row, { PurposeITMOUsedForOIMP: null });
    assertTold(idle, { table: "actions", row, field, like: /one of them/ });
    assertTold(altered("actions", 1, { [field]: 2026 }), { table: "actions", row: 1, field, like: /only a use/ });
  });

  /** Actions or holdings with these serials. */
  const withSerials = (table: "actions" | "holdings", first: number, last: number): number =>
    tables[table].findIndex(({ FirstID, LastID }) => FirstID === `${first}` && LastID === `${last}`) + 1;
  const field = "UnderlyingUnitFirstUnitID";

  it("finds rows of the same units that name different underlying units", () => {
    const row = withSerials("actions", 19, 20);
    const changed = altered("actions", row, { UnderlyingUnitFirstUnitID: "100020" });
    const like = /Gold Standard 100019-100020 of ZMB01 19 to 20 differ from actions row 6/;
    assertTold(changed, { table: "actions", row: row + 1, field, like });
  });

  it("finds a part of a block whose underlying units are not the block's", () => {
    const changed = altered("actions", 1, { UnderlyingUnitLastUnitID: "100010" });
    const like = /100011-100018 of ZMB01 11 to 18 are not within Gold Standard 100001-100010 of actions row 1/;
    assertTold(changed, { table: "holdings", row: withSerials("holdings", 11, 18), field, like });
    const blank = { UnderlyingUnitRegistryID: null, UnderlyingUnitFirstUnitID: null, UnderlyingUnitLastUnitID: null };
    const row = withSerials("holdings", 11, 18);
    assertTold(altered("holdings", row, blank), { table: "holdings", row, field, like: /nothing .* differ from/ });
  });

  it("finds parts of a block that claim the same underlying units", () => {
    const row = withSerials("holdings", 11, 18);
    const changed = altered("holdings", row, {
      UnderlyingUnitFirstUnitID: "100009",
      UnderlyingUnitLastUnitID: "100016",
    });
    const like = /100009-100016 of ZMB01 11 to 18 overlap Gold Standard 100001-100010 of actions row 4/;
    assertTold(changed, { table: "holdings", row, field, like });
  });

  it("finds blocks that claim the same underlying units", () => {
    const [birth] = tables.actions as [Row];
    const ids = {
      FirstID: "900",
      LastID: "919",
      UnderlyingUnitFirstUnitID: "100020",
      UnderlyingUnitLastUnitID: "100039",
    };
    assert.deepEqual(check({ ...tables, actions: [...tables.actions, { ...birth, ...ids }] }).problems, []);
    const copy = { ...birth, ...ids, UnderlyingUnitFirstUnitID: "100019" };
    const like = /Gold Standard 100019-100039 overlaps Gold Standard 100001-100020 of actions row 1/;
    assertTold({ ...tables, actions: [...tables.actions, copy] }, { table: "actions", field, like });
  });

  it("finds a part of a block without being within the block", () => {
    const row = withSerials("holdings", 11, 18);
    const changed = altered("holdings", row, { LastID: "21", QuantityCO2: 11n });
    const like = /ZMB01 11 to 21 overlap actions row 1 without being a part of it/;
    assertTold(changed, { table: "holdings", row, field, like });
  });

  it("finds more tonnes than underlying units verify, of a block and of its parts", () => {
    const { problems } = check(tables, () => ({ verified: 7n * tonne, count: 20n }));
    const told = problems.map(({ table, row, problem }) => `${table} ${row}: ${problem}`);
    assert.ok(told.includes("actions 0: 20 t claim Gold Standard 100001-100020, which verifies 7 t"), told.join("\n"));
    const part = "8 t claim Gold Standard 100011-100018, which verifies 2 t";
    assert.ok(told.includes(`holdings ${withSerials("holdings", 11, 18)}: ${part}`), told.join("\n"));
  });

  it("lets rows share a unit only as far as it verifies tonnes", () => {
    const row = withSerials("holdings", 11, 18);
    const shared = { UnderlyingUnitFirstUnitID: "100010", UnderlyingUnitLastUnitID: "100017" };
    const parts = altered("holdings", row, shared);
    assert.deepEqual(check(parts, each(2n)).problems, []);
    const told = (changed: Tables) => check(changed, each(1n)).problems.map(({ problem }) => problem);
    assert.deepEqual(told(tables), []);
    const part = "8 t do not fit into Gold Standard 100010-100017: rows before it claim 1 t of its first unit";
    assert.ok(told(parts).includes(part), told(parts).join("\n"));

    const [birth] = tables.actions as [Row];
    const ids = { FirstID: "900", LastID: "919", UnderlyingUnitFirstUnitID: "100020" };
    const block = { ...birth, ...ids, UnderlyingUnitLastUnitID: "100039" };
    const blocks = { ...tables, actions: [...tables.actions, block] };
    assert.deepEqual(check(blocks, each(2n)).problems, []);
    const whole = "20 t do not fit into Gold Standard 100020-100039: rows before it claim 1 t of its first unit";
    assert.ok(told(blocks).includes(whole), told(blocks).join("\n"));
  });

  it("finds a chain of parts that all claim one unit", () => {
    const [birth] = tables.actions as [Row];
    const part = (serial: number): Row => ({
      ...birth,
      ActionType: "Cancellation",
      FirstID: `${serial}`,
      LastID: `${serial}`,
      QuantityCO2: 1n,
      UnderlyingUnitFirstUnitID: "100020",
      UnderlyingUnitLastUnitID: "100020",
    });
    const changed = { ...tables, actions: [birth, ...Array.from({ length: 3 }, (_, i) => part(i + 1))], holdings: [] };
    const problems = check(changed, each(1n)).problems.map(({ problem }) => problem);
    const found = problems.filter((problem) => problem.includes("do not fit into Gold Standard 100020-100020"));
    assert.equal(found.length, 2, problems.join("\n"));
  });

  it("tells what it could not check instead of passing it", () => {
    const { problems, unchecked } = check(tables, () => undefined);
    assert.deepEqual(problems, []);
    const reasons = unchecked.map(({ reason }) => reason);
    assert.ok(reasons.includes("10 t name no single underlying range"), reasons.join("\n"));
    assert.ok(reasons.includes("what Gold Standard 100001-100020 verifies is not known"), reasons.join("\n"));
    // Parts are named only where their block names nothing.
    assert.ok(!reasons.some((reason) => reason.includes("100011-100018")));
  });

  it("finds actions beyond the authorized quantity", () => {
    const changed = altered("authorizations", 1, { AuthorizedQuantity: 19n });
    assertTold(changed, { table: "authorizations", field: "AuthorizedQuantity", like: /20 t of actions exceed 19 t/ });
  });

  for (const [table, field, value, like] of [
    ["submission", "ParticipatingParty", "Zambia", /alpha-3/],
    ["submission", "SubmissionVersion", "1", /X\.Y/],
    ["submission", "DateOfSubmission", "31/02/2026", /dd\/mm\/yyyy/],
    ["submission", "ReviewStatusOfInitialReport", "done", /central platform/],
    ["submission", "FirstYearOfNDCPeriod", null, /required/],
    ["submission", "ReportedYear", 2025, /year of the report/],
    ["authorizations", "CooperativeApproachID", "CA1", /CA and four digits/],
    ["authorizations", "Sectors", "Energy generation; Cooking", /none of/],
    ["authorizations", "PurposeForAuthorization", "NDC and more", /none of/],
    ["authorizations", "OIMPAuthorized", "OIMP", /must be blank/],
    ["authorizations", "AuthorizedTimeframe", "2030 - 2021", /in order/],
    ["authorizations", "AuthorizedPartyIDs", "CHE, SWE", /alpha-3/],
    ["authorizations", "AuthorizationID", "AUTH-2", /occurs twice/],
    ["actions", "ActionDateTime", "2026-01-01", /ISO 8601/],
    ["actions", "ActionType", "Gift", /none of/],
    ["actions", "PartyITMORegistryID", "ZMB1", /two digits/],
    ["actions", "FirstID", "A1", /serial/],
    ["actions", "Metric", "non-GHG", /required for a non-GHG metric/],
    ["actions", "TransferringPartyID", "ZMB", /must be blank for Authorization/],
    ["holdings", "MitigationType", "Avoidance", /none of/],
    ["authorizedEntities", "CountryOfIncorporation", null, /required/],
    ["authorizedEntities", "Name", "", /required/],
  ] as const) {
    it(`refuses ${JSON.stringify(value)} for ${field} of ${table}`, () => {
      // AUTH-2 comes again in the third row of the authorizations.
      const row = value === "AUTH-2" ? 3 : 1;
      const changed = altered(table, row, { [field]: value });
      const { problems } = check(changed);
      assert.ok(
        problems.some((each) => each.table === table && like.test(each.problem)),
        JSON.stringify(problems),
      );
    });
  }

  it("tells at most a thousand problems one by one, and how many more there are", () => {
    const bad = { ...(tables.actions[0] as Row), Vintage: 2027 };
    const { problems } = check({ ...tables, actions: Array.from({ length: 1_500 }, () => bad) });
    assert.equal(problems.length, 1_001);
    assert.match(problems.at(-1)?.problem ?? "", /^and \d+ more problems$/);
  });
});
