import { describe, expect, it } from "vitest";
import { carbonOf } from "./campaign-result.ts";

describe("the CARBON of a reduction", () => {
  it("equals its kilograms, rounded down to a millionth without floating point", () => {
    expect(carbonOf("1.2345678919999")).toBe(1_234_567_891n);
    expect(carbonOf(3)).toBe(3_000_000_000n);
    expect(carbonOf("9007199254740993.5")).toBe(9_007_199_254_740_993_500_000_000n);
    expect(carbonOf("0.0000000009")).toBe(0n);
  });

  it("is zero for a negative reduction", () => {
    expect(carbonOf("-1.5")).toBe(0n);
  });
});
