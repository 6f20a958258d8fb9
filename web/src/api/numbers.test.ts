import { describe, expect, it } from "vitest";
import { exact, fromMicro, parseExact, stringifyExact, toMicro } from "../../../wire/src/exact.ts";
import { formatMicro } from "./numbers.ts";

describe("exact numbers", () => {
  it("keeps every digit that the API sends and receives", () => {
    expect(parseExact('{"a":9007199254.740991,"b":12,"c":0.1,"d":12345678901234567890}')).toEqual({
      a: "9007199254.740991",
      b: 12,
      c: "0.1",
      d: "12345678901234567890",
    });
    expect(stringifyExact({ amount: exact("9007199254.740991"), n: 2 })).toBe('{"amount":9007199254.740991,"n":2}');
  });

  it("adds 0.1 and 0.2 to 0.3", () => {
    expect(fromMicro(toMicro("0.1") + toMicro("0.2"))).toBe("0.3");
  });

  it("parses amounts and formats them back", () => {
    for (const text of ["0", "12.5", "0.000001", "9007199254.740991", "-3.25"])
      expect(fromMicro(toMicro(text))).toBe(text);
    expect(toMicro("1.5000000")).toBe(1_500_000n);
    for (const text of ["0.0000001", "1e3", "", "1,5", "NaN"]) expect(() => toMicro(text)).toThrow(RangeError);
  });

  it("groups digits without rounding", () => {
    expect(formatMicro(9_007_199_254_740_991n, "en")).toBe("9,007,199,254.740991");
    expect(formatMicro(1_500_000n, "en", { least: 2 })).toBe("1.50");
  });
});
