import { describe, expect, it } from "vitest";
import { boundsOf, dayOf, paymentsOf, totalsOf } from "./totals.ts";

describe("the day's totals", () => {
  it("add redemptions exactly, by product and state, with the orders that were refused", () => {
    const { lines, total } = totalsOf(
      [
        { productId: "STOVE", status: "settled", amount: "9007199254.740991" },
        { productId: "STOVE", status: "settled", amount: "0.000001" },
        { productId: "STOVE", status: "pending_delivery", amount: 5 },
        { productId: "FUEL", status: "disputed", amount: "2.5" },
        { productId: "FUEL", status: "reversed", amount: 1 },
      ],
      [{ productId: "FUEL", amount: "4" }],
    );
    expect(lines.map(({ productId }) => productId)).toEqual(["FUEL", "STOVE"]);
    expect(lines[1]?.paid).toEqual({ count: 2, carbon: 9_007_199_254_740_992n });
    expect(lines[0]?.refused).toEqual({ count: 2, carbon: 5_000_000n });
    expect(total.pending).toEqual({ count: 2, carbon: 7_500_000n });
  });

  it("add payments by asset, without claims that are held", () => {
    const paid = { account: "0x0", transactionHash: "0x0", amount: "1.000001" };
    const claims = [
      { settlement: { ...paid, asset: "stablecoin" as const } },
      { settlement: { ...paid, asset: "CARBON" as const } },
      { settlement: null },
      { settlement: { ...paid, asset: "stablecoin" as const } },
    ];
    expect(paymentsOf(claims)).toEqual({ stablecoin: 2_000_002n, carbon: 1_000_001n });
  });

  it("begin and end at midnight of the device, also on a day of 23 hours", () => {
    for (const day of ["2026-03-29", "2026-11-26", "2026-12-31"]) {
      const { from, before } = boundsOf(day);
      expect(dayOf(new Date(from))).toBe(day);
      expect(dayOf(new Date(Date.parse(before) - 1))).toBe(day);
      expect(dayOf(new Date(before))).not.toBe(day);
    }
  });
});
