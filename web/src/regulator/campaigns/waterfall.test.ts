import { expect, it } from "vitest";
import type { Reduction } from "./result.ts";
import { formatDecimal, waterfallOf } from "./waterfall.ts";

const reduction: Reduction = {
  method: "smec-4",
  convention: "",
  unit: "tCO2e/year",
  version: "4.0",
  title: "",
  be: "2606.351904",
  ae: "1761.27744",
  le: "33.90148928",
  er: "726.66552832",
  certifiable: { er: null, basis: "measured", problems: [] },
  assumptions: [],
  broken: [],
  lines: [{ name: "Business as usual, BAU", value: "2895.94656", unit: "tCO2e", source: "" }],
};

it("steps from business as usual to the reduction without losing a digit", () => {
  expect(waterfallOf(reduction)).toEqual([
    { key: "bau", amount: "2895.94656", isTotal: true },
    { key: "daf", amount: "-289.594656", isTotal: false },
    { key: "baseline", amount: "2606.351904", isTotal: true },
    { key: "activity", amount: "-1761.27744", isTotal: false },
    { key: "adjustment", amount: "-84.5074464", isTotal: false },
    { key: "leakage", amount: "-33.90148928", isTotal: false },
    { key: "reduction", amount: "726.66552832", isTotal: true },
  ]);
});

it("omits an adjustment of zero, and everything when the result breaks a rule of the method", () => {
  const plain = { ...reduction, be: 10, ae: 4, le: 1, er: 5, lines: [] };
  expect(waterfallOf(plain)?.map(({ key }) => key)).toEqual(["baseline", "activity", "leakage", "reduction"]);
  expect(waterfallOf({ ...reduction, er: null })).toBeUndefined();
});

it("formats decimals of any length", () => {
  expect(formatDecimal("18.0433459900969620856249221440760258663751945902503", "en")).toBe("18.0433");
  expect(formatDecimal("12345678901234567890.5", "en")).toBe("12,345,678,901,234,567,890.5");
});
