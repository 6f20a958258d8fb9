import { describe, expect, it } from "vitest";
import { carbonOf, problemsBesideAssumptions } from "./campaign-result.ts";

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

it("does not list an assumption again among the reasons why a reduction cannot be certified", () => {
  const rule = "terms-committed";
  const problems = [
    { path: "emissions.method", rule, message: "The campaign did not commit a method before its draw." },
    { path: "emissions.units", rule, message: "The campaign did not commit units before its draw: units is assumed." },
    { path: "groups.reference", rule: "sample-complete", message: "A drawn household is not measured." },
  ];
  const reduction = {
    assumptions: [{ parameter: "units", value: "3", message: "units is assumed." }],
    certifiable: { er: null, basis: "measured" as const, problems },
  };
  expect(problemsBesideAssumptions(reduction)).toEqual([problems[0], problems[2]]);
});
