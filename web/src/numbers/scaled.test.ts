import { describe, expect, it } from "vitest";
import { formatScaled } from "../../../wire/src/exact.ts";
import { parseScaled } from "./scaled.ts";

describe("decimal text", () => {
  it("is parsed digit by digit, with a point or comma and grouping blanks", () => {
    expect(parseScaled("0.1", 6)).toBe(100_000n);
    expect(parseScaled("12,5", 3)).toBe(12_500n);
    expect(parseScaled("9 007 199 254.740991", 6)).toBe(9_007_199_254_740_991n);
    expect(parseScaled("1\u202f000,250", 3)).toBe(1_000_250n);
    expect(parseScaled("-3", 3)).toBe(-3000n);
    expect(parseScaled("5.", 3)).toBe(5000n);
  });

  it("may have more decimals only when they are zeros", () => {
    expect(parseScaled("1.2340", 3)).toBe(1234n);
    expect(parseScaled("1.2345", 3)).toBeUndefined();
  });

  it("is refused when it is not a plain decimal", () => {
    for (const text of ["", ".", "1e3", "1.2.3", "0x10", "1,000.5", "NaN", "--1", ".5"]) {
      expect(parseScaled(text, 6), text).toBeUndefined();
    }
  });

  it("is formatted exactly, so that parsing it gives the same units", () => {
    for (const units of [0n, 1n, -1n, 999_999n, 1_000_000n, 9_007_199_254_740_991n]) {
      expect(parseScaled(formatScaled(units, 6), 6)).toBe(units);
    }
    expect(formatScaled(100_500_000n, 6)).toBe("100.5");
    expect(formatScaled(-5n, 3)).toBe("-0.005");
  });
});
