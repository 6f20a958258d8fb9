import { describe, expect, it } from "vitest";
import { minimumOut } from "./bounds.ts";

describe("the minimum output of a swap", () => {
  it("is exact to the micro-unit, rounded in the buyer's favour", () => {
    expect(minimumOut(1_000_000n, 50n)).toBe(995_000n);
    expect(minimumOut(1_000_001n, 50n)).toBe(995_001n);
    expect(minimumOut(9_007_199_254_740_991n, 0n)).toBe(9_007_199_254_740_991n);
    expect(minimumOut(0n, 50n)).toBe(0n);
  });

  it("refuses a tolerance below 0 or above 100 %", () => {
    expect(() => minimumOut(1n, -1n)).toThrow(RangeError);
    expect(() => minimumOut(1n, 10_001n)).toThrow(RangeError);
  });
});
