import assert from "node:assert/strict";
import { afterEach, before, beforeEach, describe, it } from "node:test";
import type { ChainState } from "../../../indexer/reports/chain-state.ts";
import { balanceEmissions } from "../../../indexer/reports/emissions-balance.ts";
import { codeBytes } from "../../../wire/src/code-text.ts";
import { type ReportDatabase, shareReportDatabase } from "./database.ts";
import { addresses, insertScene } from "./scene.ts";

/** The blocks of the scene as the contract has them: last serial, Party, status, first transfer. */
const blocks: Record<string, [bigint, string, number, number]> = {
  1: [2n, "CHE", 2, 1],
  3: [4n, "CHE", 1, 1],
  5: [6n, "ZMB", 3, 4],
  7: [10n, "ZMB", 1, 0],
};

const chain: ChainState = {
  block: 40n,
  addresses,
  read: async (calls) => ({
    answers: calls.map(({ args: [id] }) => {
      const [lastId, party, status, firstTransfer] = blocks[String(id)] ?? [0n, "", 0, 0];
      return { firstId: BigInt(String(id)), lastId, vintage: 2025, party: codeBytes(party), status, firstTransfer };
    }),
  }),
};

describe("the emissions balance", () => {
  let database: ReportDatabase;
  before(async () => {
    database = await shareReportDatabase();
    await insertScene(database);
  });
  beforeEach(() => database.run("begin"));
  afterEach(() => database.run("rollback"));
  const balance = (party: string, year: number, at = chain) => balanceEmissions(database.ask, at, { party, year });

  it("adds what a Party first transferred to the year of its vintage, by both ways", async () => {
    const report = await balance("ZMB", 2025);
    assert.deepEqual(report.firstTransferred, { byEvents: 6n, byChain: 6n, agree: true });
    assert.equal(report.balance, 6n);
    assert.deepEqual(
      report.lines.map(({ sign, subtype, tonnes, actions }) => [sign, subtype, tonnes, actions]),
      [
        [1, "First transfer to another Party", 4n, 1],
        [1, "Use or cancellation", 2n, 1],
      ],
    );
    assert.equal((await balance("ZMB", 2026)).balance, 0n);
  });

  it("subtracts what a Party used from the year of the NDC, and compares all years with the chain", async () => {
    const report = await balance("CHE", 2026);
    assert.equal(report.usedTowardsNdc.byEvents, 2n);
    assert.equal(report.usedTowardsNdc.byChain, null);
    assert.match(report.usedTowardsNdc.reason ?? "", /not store the year/);
    assert.deepEqual(report.usedTowardsNdcInAllYears, { byEvents: 2n, byChain: 2n, agree: true });
    assert.equal(report.balance, -2n);
  });

  it("counts a use for another purpose as none towards an NDC", async () => {
    assert.equal((await balance("ZMB", 2026)).usedTowardsNdcInAllYears.byEvents, 0n);
  });

  it("shows when events and chain disagree", async () => {
    await database.run("update itmo_action set quantity = 3 where subtype = 'First transfer to another Party'");
    assert.deepEqual((await balance("ZMB", 2025)).firstTransferred, { byEvents: 5n, byChain: 6n, agree: false });
  });

  it("says why the chain's state is missing instead of agreeing", async () => {
    const pruned = { ...chain, read: async () => ({ answers: null, reason: "pruned" }) };
    const report = await balance("ZMB", 2025, pruned);
    assert.deepEqual(report.firstTransferred, { byEvents: 6n, byChain: null, agree: null, reason: "pruned" });
  });
});
