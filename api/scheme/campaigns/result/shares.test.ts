import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decimal } from "../../emissions/decimal.ts";
import { equalShares, microCarbonOf } from "./shares.ts";

test("makes CARBON of a reduction to the millionth, rounded down", () => {
  assert.equal(microCarbonOf(decimal("726.66552832")), 726_665_528_320n);
  assert.equal(microCarbonOf(decimal("0.0000000019")), 1n);
  assert.equal(microCarbonOf(decimal("152.8398412345678999")), 152_839_841_234n);
});

test("shares out to the last millionth, no two shares further apart than one", () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 9_007_199_254_740_991n), fc.integer({ min: 1, max: 500 }), (total, count) => {
      const shares = equalShares(total, count);
      assert.equal(
        shares.reduce((sum, share) => sum + share, 0n),
        total,
      );
      assert.ok((shares[0] as bigint) - (shares.at(-1) as bigint) <= 1n);
    }),
  );
});
