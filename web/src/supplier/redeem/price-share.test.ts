import { describe, expect, it } from "vitest";
import { carbonOf, priceOf, shareOf } from "./price-share.ts";

const price = { amount: "450.50", currency: "ZMW", carbon: 60 };

describe("the price at the till", () => {
  it("is divided between voucher and household, rounded down for the voucher", () => {
    expect(shareOf({ price }, 12_500_000n)).toEqual({
      paid: { micro: 93_850_000n, currency: "ZMW" },
      left: { micro: 356_650_000n, currency: "ZMW" },
    });
    expect(shareOf({ price: { ...price, currency: "JPY", amount: 451 } }, 12_500_000n)?.paid.micro).toBe(93_000_000n);
    expect(shareOf({ price: { ...price, currency: "KWD", amount: "1.005" } }, 20_000_000n)?.paid.micro).toBe(335_000n);
  });

  it("is never paid twice over", () => {
    expect(shareOf({ price }, 90_000_000n)).toEqual({
      paid: { micro: 450_500_000n, currency: "ZMW" },
      left: { micro: 0n, currency: "ZMW" },
    });
  });

  it("keeps every digit of the largest amounts", () => {
    const most = { amount: "9007199254.74", currency: "ZMW", carbon: "9007199254.740991" };
    expect(shareOf({ price: most }, 9_007_199_254_740_991n)?.left.micro).toBe(0n);
    expect(priceOf({ price: most })?.micro).toBe(9_007_199_254_740_000n);
  });

  it("is not shared where no CARBON is stated, and absent where none is set", () => {
    expect(shareOf({ price: { ...price, carbon: null } }, 1n)).toBeUndefined();
    expect(carbonOf({ price: null })).toBeUndefined();
    expect(priceOf({ price: null })).toBeUndefined();
  });
});
