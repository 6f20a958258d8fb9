import assert from "node:assert/strict";
import { afterEach, before, beforeEach, describe, it } from "node:test";
import { LosslessNumber } from "lossless-json";
import type { ChainState } from "../../../indexer/reports/chain-state.ts";
import { accountForNdc } from "../../../indexer/reports/ndc-accounting.ts";
import { type NdcMethod, ndcMethods } from "../../../indexer/schema/article-6-words.ts";
import { type ReportDatabase, shareReportDatabase } from "./database.ts";
import { action, addresses, insertScene, now } from "./scene.ts";

const unread: ChainState = { block: 40n, addresses, read: async () => ({ answers: null, reason: "pruned" }) };
const day = (date: string) => Date.parse(`${date}T00:00:00Z`) / 86_400_000;
const hash = `0x${"0".repeat(64)}` as const;

/** Write exact numbers as text, to compare them. */
const shown = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, each) =>
      each instanceof LosslessNumber || typeof each === "bigint" ? each.toString() : each,
    ),
  );

describe("the accounting of an NDC period", () => {
  let database: ReportDatabase;
  let parameters = 0;
  before(async () => {
    database = await shareReportDatabase();
    await insertScene(database);
  });
  beforeEach(() => database.run("begin"));
  afterEach(() => database.run("rollback"));

  const record = (
    kind: string,
    key: string,
    value: bigint,
    { unit = "tCO2e", decimals = 0, years = [2021, 2025] } = {},
  ) => {
    parameters += 1;
    return database.insert("parameter", {
      number: parameters,
      kind,
      key,
      value,
      decimals,
      unit,
      source: "Letter 7",
      validFrom: day(`${years[0]}-01-01`),
      validTo: day(`${years[1]}-12-31`),
      setAt: now,
      transactionHash: hash,
    });
  };
  const choose = (method: NdcMethod, years = [2021, 2025]) =>
    record("ndc-method", "ZMB", BigInt(ndcMethods.indexOf(method) + 1), { unit: method, years });
  const report = (year: number, party = "ZMB") =>
    accountForNdc(database.ask, unread, { block: 40n, timestamp: now }, { party, year });

  /** 60 t of 2022, 90 t of 2023 and 100 t of 2025 are transferred; of the uses of others none counts. */
  const transfer = async () => {
    await database.run("delete from itmo_action");
    const sold = {
      action: "First transfer",
      subtype: "First transfer to another Party",
      transferringParty: "ZMB",
    } as const;
    let [first, n] = [1n, 31];
    for (const [vintage, tonnes] of [
      [2022, 60n],
      [2023, 90n],
      [2025, 100n],
    ] as const) {
      await database.insert("itmoAction", { ...action(n, first, first, first + tonnes - 1n), ...sold, vintage });
      [first, n] = [first + tonnes, n + 1];
    }
  };

  it("averages what was transferred over the elapsed years, indicatively until the last year", async () => {
    await transfer();
    await choose("averaging");
    const { years, method, period, record: source } = await report(2025);
    assert.deepEqual([method, period], ["averaging", { firstYear: 2021, lastYear: 2025 }]);
    assert.equal(source?.source, "Letter 7");
    const rows = years.map(({ year, adjustment, averageOf, indicative }) => [year, adjustment, averageOf, indicative]);
    assert.deepEqual(shown(rows), [
      [2021, "0", { tonnes: "0", years: 1 }, true],
      [2022, "30", { tonnes: "60", years: 2 }, true],
      [2023, "50", { tonnes: "150", years: 3 }, true],
      [2024, "37.5", { tonnes: "150", years: 4 }, true],
      [2025, "50", { tonnes: "250", years: 5 }, false],
    ]);
  });

  it("rounds an average that has no end, and keeps the exact one", async () => {
    await transfer();
    await database.run("update itmo_action set quantity = 61, last_id = 61 where vintage = 2022");
    await choose("averaging");
    const [year] = (await report(2023)).years.slice(-1);
    assert.deepEqual(shown([year?.adjustment, year?.averageOf]), ["50.333333", { tonnes: "151", years: 3 }]);
  });

  it("compares adjusted emissions with the trajectory, each year and in sum", async () => {
    await transfer();
    await choose("trajectory");
    for (const [year, emissions, level] of [
      [2021, 1_000n, 1_010n],
      [2022, 960n, 1_000n],
      [2023, 920n, 990n],
    ] as const) {
      await record("ndc-emissions", `ZMB-${year}`, emissions);
      await record("ndc-level", `ZMB-${year}`, level * 10n, { decimals: 1 });
    }
    const { years, total } = await report(2023);
    const rows = years.map(({ adjustment, adjustedEmissions, level, aboveLevel }) => [
      adjustment,
      adjustedEmissions,
      level,
      aboveLevel,
    ]);
    assert.deepEqual(shown(rows), [
      ["0", "1000", "1010", "-10"],
      ["60", "1020", "1000", "20"],
      ["90", "1010", "990", "20"],
    ]);
    assert.deepEqual(shown([total.adjustedEmissions, total.level, total.aboveLevel]), ["3030", "3000", "30"]);
    const missing = (await report(2024)).total;
    assert.deepEqual([missing.adjustedEmissions, missing.level], [null, null]);
  });

  it("adds each year's total for a multi-year NDC, and subtracts what was used", async () => {
    await choose("cumulative", [2021, 2030]);
    await record("ndc-method", "CHE", 3n, { unit: "cumulative", years: [2021, 2030] });
    const { years, total } = await report(2026, "CHE");
    assert.deepEqual(shown(years.at(-1)), {
      year: 2026,
      firstTransferred: "0",
      used: "2",
      cumulative: "-2",
      adjustment: "-2",
      averageOf: null,
      indicative: false,
      emissions: null,
      adjustedEmissions: null,
      level: null,
      aboveLevel: null,
    });
    assert.deepEqual(shown([total.used, total.net]), ["2", "-2"]);
    assert.deepEqual(shown((await report(2026)).total.net), "6");
  });

  it("makes no adjustment without a recorded method, and says so", async () => {
    const { method, years, problems } = await report(2026);
    assert.deepEqual([method, years.at(-1)?.adjustment], [null, null]);
    assert.deepEqual(
      problems.map(({ rule }) => rule),
      ["method-recorded"],
    );
    const nobody = await report(2026, "NOR");
    assert.deepEqual([nobody.period, nobody.years], [null, []]);
    assert.deepEqual(
      nobody.problems.map(({ rule }) => rule),
      ["method-recorded", "party-known"],
    );
  });

  it("applies the newest record of the year, and names others of the same period", async () => {
    await choose("averaging", [2021, 2030]);
    await choose("trajectory", [2021, 2030]);
    await choose("averaging", [2031, 2035]);
    const { method, problems } = await report(2026);
    assert.equal(method, "trajectory");
    assert.deepEqual(
      problems.map(({ rule }) => rule),
      ["method-consistent"],
    );
    assert.match(problems[0]?.message ?? "", /averaging/);
  });

  it("leaves out what is outside the period, and says how much", async () => {
    await choose("cumulative", [2026, 2030]);
    const { years, problems } = await report(2026);
    assert.deepEqual(shown(years.map(({ year, firstTransferred }) => [year, firstTransferred])), [[2026, "0"]]);
    assert.deepEqual(
      problems.map(({ rule, message }) => [rule, message.slice(0, 4)]),
      [["inside-ndc-period", "6 t "]],
    );
  });
});
