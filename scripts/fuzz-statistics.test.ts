import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { neverSucceeded, statisticsOf } from "./fuzz-statistics.ts";

const kind = (metrics: Record<string, [calls: number, reverts: number, discards: number]>) => ({
  runs: 1n,
  calls: 0n,
  reverts: 0n,
  failedCorpusReplays: 0n,
  metrics: Object.fromEntries(
    Object.entries(metrics).map(([name, [calls, reverts, discards]]) => [
      name,
      { calls: BigInt(calls), reverts: BigInt(reverts), discards: BigInt(discards) },
    ]),
  ),
});

describe("the statistics of a stateful suite", () => {
  const kinds = [
    kind({ "a.sol:H.redeem": [30, 10, 5] }),
    kind({ "a.sol:H.redeem": [10, 0, 0], "a.sol:H.sweep": [300, 200, 100] }),
  ];
  const statistics = statisticsOf({ testResults: [...kinds, { runs: 256n }].map((one) => ({ kind: one })) });

  it("add up the calls of each function over its invariants", () => {
    assert.deepEqual(statistics, [
      { name: "redeem", calls: 40, succeeded: 25, reverted: 10, discarded: 5 },
      { name: "sweep", calls: 300, succeeded: 0, reverted: 200, discarded: 100 },
    ]);
  });

  it("name what was called often and never went through", () => {
    assert.deepEqual(neverSucceeded(statistics), ["sweep"]);
    assert.deepEqual(neverSucceeded([{ name: "rare", calls: 3, succeeded: 0, reverted: 3, discarded: 0 }]), []);
  });
});
