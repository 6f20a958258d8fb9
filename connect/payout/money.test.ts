import assert from "node:assert/strict";
import { test } from "node:test";
import { priceOf } from "./money.ts";

test("rounds down to the smallest amount of the currency and keeps what is left", () => {
  // 2.525 × 27.123457 = 68.486728925
  assert.deepEqual(priceOf(2_525_000n, 27_123_457n, 2), { amount: 68_480_000n, remainder: 6_728_925_000n });
  assert.deepEqual(priceOf(2_525_000n, 27_123_457n, 0), { amount: 68_000_000n, remainder: 486_728_925_000n });
  assert.deepEqual(priceOf(1_000_000n, 27_000_000n, 2), { amount: 27_000_000n, remainder: 0n });
});

test("never loses or adds a digit", () => {
  for (const stablecoin of [1n, 999_999n, 2_525_001n, 123_456_789_123n]) {
    for (const rate of [1n, 3_703_000_001n, 27_123_457n]) {
      for (const decimals of [0, 2, 6]) {
        const priced = priceOf(stablecoin, rate, decimals);
        if (priced === undefined) assert.ok(stablecoin * rate < 10n ** BigInt(12 - decimals));
        else assert.equal(priced.amount * 1_000_000n + priced.remainder, stablecoin * rate);
      }
    }
  }
});

test("gives no amount below the smallest one, nor one that clients cannot hold", () => {
  assert.equal(priceOf(1n, 1_000_000n, 2), undefined);
  assert.equal(priceOf(9_007_199_254_740_991n, 2_000_000n, 2), undefined);
});
