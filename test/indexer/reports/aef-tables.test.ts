import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { TableName } from "../../../indexer/reports/aef/fields.ts";
import { segmentsAfter } from "../../../indexer/reports/aef/replay.ts";
import { rowsOf, validate } from "../../../indexer/reports/aef/report.ts";
import { collect } from "./collect.ts";
import { type History, history } from "./history.ts";

const request = { party: "ZMB", year: 2026, version: "1.0", date: new Date("2026-11-22T00:00:00Z") };

async function read(told: History, party: string, table: TableName) {
  return collect(rowsOf(table, told.sourceFor(party), { ...request, party }));
}

describe("the tables of any history that the contract allows", () => {
  it("satisfy every check of the format, for each Party", async () => {
    await fc.assert(
      fc.asyncProperty(history, fc.constantFrom("ZMB", "CHE", "SWE"), async (told, party) => {
        const { problems } = await validate(told.sourceFor(party), { ...request, party });
        assert.deepEqual(problems, []);
      }),
    );
  });

  it("hold what the actions leave, tonne by tonne", async () => {
    await fc.assert(
      fc.asyncProperty(history, async (told) => {
        const conversions = Map.groupBy(told.actions, ({ firstId }) => {
          const births = told.actions.filter(({ type }) => type === "Authorization");
          return births.findLast((birth) => birth.firstId <= firstId)?.firstId;
        });
        const segments = [...conversions.values()].flatMap((actions) => segmentsAfter(actions));
        for (const party of ["ZMB", "CHE", "SWE"]) {
          const held = segments.filter((segment) => segment.status === "held" && segment.party === party);
          const ranges = held.map(({ firstId, lastId }) => [firstId, lastId]);
          assert.deepEqual(
            ranges,
            told.holdingsOf(party).map(({ firstId, lastId }) => [firstId, lastId]),
          );
          const tonnes = ranges.reduce((sum, [first = 0n, last = 0n]) => sum + last - first + 1n, 0n);
          assert.equal(tonnes, BigInt(told.heldBy(party).length));
        }
      }),
    );
  });

  it("tell a transfer once on each side: as transfer by the one, as acquisition by the other", async () => {
    await fc.assert(
      fc.asyncProperty(history, async (told) => {
        const tables = await Promise.all(["ZMB", "CHE", "SWE"].map((party) => read(told, party, "actions")));
        const keyOf = (row: Record<string, unknown>) =>
          [row.ActionDateTime, row.FirstID, row.LastID, row.TransferringPartyID, row.AcquiringPartyID].join();
        const gained = tables.flat().filter(({ ActionType }) => ActionType === "Acquisition");
        const given = tables.flat().filter((row) => row.AcquiringPartyID !== null && row.ActionType !== "Acquisition");
        assert.deepEqual(gained.map(keyOf).sort(), given.map(keyOf).sort());
      }),
    );
  });
});
