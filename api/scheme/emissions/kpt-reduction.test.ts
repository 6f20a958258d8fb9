import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { workedParams } from "../../../test/support/emissions.ts";
import { AppError } from "../../platform/errors.ts";
import { decimal } from "./decimal.ts";
import { groupResponse } from "./group-response.ts";
import { type KptReductionInput, reductionFromKpt } from "./kpt-reduction.ts";
import { describeGroup } from "./statistics.ts";
import { quantity } from "./units.ts";

const groupOf = (...texts: string[]) => describeGroup(texts.map((text) => decimal(text)));
const campaign: KptReductionInput = {
  method: "smec-4",
  params: workedParams(),
  reference: groupOf("5.9", "6.1", "6.0", "6.2", "5.8"),
  intervention: groupOf("2", "3", "4"),
  fuel: "wood",
  householdSize: decimal("4.5"),
  baseline: "measured",
  units: decimal(1000),
  usage: { surveyed: 100, inUse: 92 },
  area: "ZMB",
};

test("goes from measurements to a reduction: bounds, usage, defaults and method, each with its source", () => {
  const reduction = reductionFromKpt(campaign);
  const { baselinePairs, activityPairs } = reduction.inputs;
  // 6 kg a day at 90/10; 3 + t(0.95, 2)·1/√3 = 4.685854461 kg a day without it
  assert.equal(baselinePairs[0]?.fuel.value.toString(), "2.19");
  assert.equal(activityPairs[0]?.fuel.value.toFixed(9), "1.710336878");
  assert.equal(baselinePairs[0]?.usage.toFixed(9), "0.874727787");
  // U·N·P·0.0156·(112·0.4 + 9.46), DAF 0.1, HE 0.9, 17 t embodied, 2 % market
  assert.equal(reduction.be.value.toFixed(6), "1459.365029");
  assert.equal(reduction.ae.value.toFixed(6), "1266.365209");
  assert.equal(reduction.er.value.toFixed(6), "152.839841");
  assert.deepEqual([reduction.convention, reduction.method, reduction.version], ["two-sided-90", "smec-4", "4.0"]);
  const sources = reduction.lines.map(({ name, source }) => `${name} | ${source}`).join("\n");
  for (const expected of [
    /^NCV \| IPCC 2006/m,
    /fNRB of Zambia/,
    /usage survey: 92 of 100/,
    /upper bound \(two-sided-90\)/,
  ]) {
    assert.match(sources, expected);
  }
});

test("takes option B in place of a measured baseline, and TPDDTEC in place of smec-4", () => {
  const leakage = quantity(decimal(0), "tCO2e");
  const reduction = reductionFromKpt({
    ...campaign,
    method: "tpddtec",
    params: { leakage },
    baseline: "minimum-service",
  });
  assert.equal(reduction.inputs.baselinePairs[0]?.fuel.value.toString(), "2.1375");
  assert.ok(reduction.er.value.eq(reduction.be.value.minus(reduction.ae.value)));
});

test("refuses with the broken rules of every step together", () => {
  const broken: KptReductionInput = {
    ...campaign,
    reference: groupOf("6"),
    intervention: describeGroup([], "one-sided-90"),
    usage: { surveyed: 1, inUse: 0 },
    fnrb: decimal("0.8"),
  };
  assert.throws(
    () => reductionFromKpt(broken),
    (error) => {
      assert.ok(error instanceof AppError);
      assert.deepEqual(
        error.details.map(({ rule }) => rule),
        ["one-convention", "group-measured", "group-measured", "range", "fnrb-within-default"],
      );
      return true;
    },
  );
});

test("saving more fuel in every household never lowers the reduction", () => {
  const grams = fc.array(fc.integer({ min: 500, max: 12_000 }), { minLength: 2, maxLength: 30 });
  fc.assert(
    fc.property(grams, grams, fc.integer({ min: 0, max: 100 }), (reference, intervention, percent) => {
      const kilograms = (values: number[], share: number) =>
        describeGroup(values.map((value) => decimal(value).times(share).div(100_000)));
      const er = (share: number) =>
        reductionFromKpt({
          ...campaign,
          reference: kilograms(reference, 100),
          intervention: kilograms(intervention, share),
        }).er.value;
      // Equal shares of every household keep the precision, so the same side of 90/10 is taken.
      assert.ok(er(percent).plus("1e-15").gte(er(100)));
    }),
  );
});

test("answers statistics as JSON numbers rounded for display, null where too little is known", () => {
  const answer = JSON.parse(JSON.stringify(groupResponse(groupOf("1", "2", "2", "30"))));
  assert.deepEqual(Object.keys(answer), [
    "n",
    "mean",
    "standardDeviation",
    "coefficientOfVariation",
    "standardError",
    "halfWidth",
    "lowerBound",
    "upperBound",
    "precision",
    "meets9010",
    "outliers",
  ]);
  assert.equal(answer.mean, 8.75);
  assert.deepEqual(answer.outliers, [{ index: 3, value: 30, side: "high" }]);
  assert.match(JSON.stringify(groupResponse(groupOf("1", "2", "2"))), /"mean":1\.666666666667,/);
  assert.match(JSON.stringify(groupResponse(groupOf("1"))), /"standardDeviation":null/);
});
