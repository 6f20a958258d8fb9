import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../../../platform/errors.ts";
import { type Decimal, decimal, decimalText, zero } from "../decimal.ts";
import type { FuelId } from "../fuels.ts";
import type { RecordedMinimum } from "../methods/minimums.ts";
import { estimateDifference, estimateMean, oneStratum } from "./estimate.ts";
import { evaluateCampaign } from "./evaluate.ts";
import type { CampaignInput, LeftOut, SampledPosition, TestGroup } from "./input.ts";

type Amounts = Partial<Record<FuelId, string>>;
const burntOf = (amounts: Amounts) =>
  Object.fromEntries(Object.entries(amounts).map(([fuel, kilograms]) => [fuel, decimal(kilograms)]));
const position = (index: number, amounts: Amounts | null, stratum?: string): SampledPosition => ({
  position: index,
  stratum,
  burnt: amounts === null ? undefined : burntOf(amounts),
});
/** `count` households that use `mean` kg of wood in the whole test, some a little more, some less. */
const wood = (count: number, mean: string, spread = "0.4"): SampledPosition[] =>
  Array.from({ length: count }, (_, index) => {
    const factor = (index % 5) - 2;
    return position(index, {
      wood: decimal(mean).plus(decimal(spread).times(factor)).plus(decimal(index).div(1000)).toString(),
    });
  });
const missing = (positions: SampledPosition[], count: number): SampledPosition[] =>
  positions.map((each, index) => (index < count ? { ...each, burnt: undefined } : each));

const devices = Array.from({ length: 120 }, (_, index) => ({ serial: `S-${index}`, installedOn: "2025-01-01" }));
function campaign(changes: Partial<CampaignInput> = {}): CampaignInput {
  return {
    method: "smec-4",
    convention: "two-sided-90",
    design: "independent",
    test: { startDate: "2025-05-01", endDate: "2025-05-04", dayCount: "calendar" },
    groups: { reference: wood(40, "16"), intervention: wood(40, "8") },
    householdSize: decimal(5),
    devices,
    creditingPeriod: { from: "2025-01-01", to: "2025-12-31" },
    usageSurvey: [{ age: 1, surveyed: 100, inUse: 95 }],
    factors: { wood: { values: { fNRB: decimal("0.4") } } },
    parameters: { DAF: decimal("0.05"), life: decimal(6), HE: decimal("0.85") },
    ...changes,
  };
}
const rules = (details: { path?: string; rule: string }[]) => details.map(({ path, rule }) => `${path} ${rule}`).sort();
const reductionOf = (input: CampaignInput): Decimal =>
  evaluateCampaign(input).certifiable ?? assert.fail("not certifiable");
const broken = (input: CampaignInput): string[] => {
  try {
    evaluateCampaign(input);
  } catch (error) {
    assert.ok(error instanceof AppError);
    return rules(error.details);
  }
  return [];
};

test("a household's value is its total ÷ the days that the campaign fixed", () => {
  const use = (dayCount: "calendar" | "interval") => {
    const outcome = evaluateCampaign(campaign({ test: { startDate: "2025-05-01", endDate: "2025-05-04", dayCount } }));
    return [outcome.days, outcome.asMeasured?.fuels[0]?.reference.mean.times(outcome.days).toFixed(6)];
  };
  assert.deepEqual(use("calendar"), [4, "16.019500"]);
  assert.deepEqual(use("interval"), [3, "16.019500"]);
});

test("counts devices, new devices and usage itself: the method's rows hold what the registry and survey say", () => {
  const outcome = evaluateCampaign(campaign());
  const value = (symbol: string, of: string | null = "baseline wood") =>
    outcome.asMeasured?.result.values.find((each) => each.symbol === symbol && each.of === of)?.value;
  assert.equal(decimalText(value("N") as Decimal), "120");
  assert.equal(decimalText(value("N_new", null) as Decimal), "120");
  assert.ok(value("U")?.eq(outcome.usage.usage));
  assert.equal(outcome.usage.usage.toFixed(6), "0.897747");
  assert.deepEqual(broken(campaign({ parameters: { ...campaign().parameters, N_new: zero } })), [
    "parameters.N_new counted-from-devices",
  ]);
});

test("SMEC uses the means where both are precise, else the bound that lowers the reduction", () => {
  const precise = evaluateCampaign(campaign()).asMeasured?.fuels[0];
  assert.equal(precise?.taken, "mean of the reference, mean of the intervention");
  assert.ok(precise?.baseline.eq(precise.reference.mean));
  const wide = evaluateCampaign(
    campaign({ groups: { reference: wood(40, "16", "6"), intervention: wood(40, "8", "3") } }),
  );
  const use = wide.asMeasured?.fuels[0];
  assert.equal(use?.taken, "lower bound of the reference, upper bound of the intervention");
  assert.ok(use?.baseline.eq(use.reference.lowerBound) && use.project.eq(use.intervention.upperBound));
});

test("TPDDTEC uses the mean saving within 30 %, else its lower bound", () => {
  const taken = (spread: string) =>
    evaluateCampaign(
      campaign({
        method: "tpddtec-4",
        parameters: {},
        groups: { reference: wood(40, "16", spread), intervention: wood(40, "12", spread) },
      }),
    ).asMeasured?.fuels[0];
  const precise = taken("1");
  assert.equal(precise?.taken, "mean of the saving");
  assert.ok(precise?.project.eq(precise.intervention.mean));
  const wide = taken("4");
  assert.equal(wide?.taken, "lower bound of the saving");
  assert.ok(wide?.project.eq(wide.reference.mean.minus(wide.saving.lowerBound)));
});

test("a paired design is judged on the differences of the pairs", () => {
  const groups = { reference: wood(40, "16", "3.5"), intervention: wood(40, "8", "3.5") };
  const paired = evaluateCampaign(campaign({ design: "paired", groups })).asMeasured?.fuels[0];
  // Every pair differs by 8 kg in four days: the spread of the households does not matter.
  assert.equal(paired?.saving.mean.toFixed(20), "2.00000000000000000000");
  assert.ok(paired?.saving.halfWidth.isZero());
  assert.equal(paired?.taken, "mean of the saving");
  const independent = evaluateCampaign(campaign({ groups })).asMeasured?.fuels[0];
  assert.ok(independent?.saving.halfWidth.gt("0.3"));
});

test("strata count by their share of the population, not of the sample", () => {
  const strata = [
    { name: "rural", share: decimal("0.8") },
    { name: "urban", share: decimal("0.2") },
  ];
  const stratified = (mean: string) =>
    wood(40, mean).map((each, index) => ({
      ...each,
      stratum: index < 10 ? "rural" : "urban",
      ...(index < 10 ? { burnt: burntOf({ wood: `${20 + index / 100}` }) } : {}),
    }));
  const outcome = evaluateCampaign(
    campaign({ strata, groups: { reference: stratified("16"), intervention: stratified("8") } }),
  );
  const reference = outcome.asMeasured?.fuels[0]?.reference;
  const rural = decimal("20.045").div(4);
  const urban = decimal("16.0245").div(4);
  assert.equal(reference?.mean.toFixed(20), rural.times("0.8").plus(urban.times("0.2")).toFixed(20));
  assert.deepEqual(rules(outcome.reasons), []);
});

test("combines the variances of strata with the degrees of freedom of Satterthwaite", () => {
  const observations = (
    [
      ["a", [1n, 2n, 3n]],
      ["b", [10n, 14n]],
    ] as const
  ).flatMap(([stratum, values]) => values.map((numerator) => ({ stratum, value: { numerator, denominator: 1n } })));
  const strata = [
    { name: "a", share: decimal("0.5") },
    { name: "b", share: decimal("0.5") },
  ];
  const estimate = estimateMean(observations, strata, "two-sided-90");
  // Variances of the means: 1/3 and 8/2 = 4; with the squared shares 1/12 and 1; df (13/12)² ÷ ((1/12)²/2 + 1²/1)
  assert.equal(estimate?.mean.toString(), "7");
  assert.equal(estimate?.standardError.pow(2).toFixed(30), decimal(13).div(12).toFixed(30));
  assert.equal(estimate?.degreesOfFreedom.toFixed(20), decimal(169).div(144).div(decimal(289).div(288)).toFixed(20));
  assert.equal(estimateMean(observations.slice(0, 4), strata, "two-sided-90"), null);
  const whole = estimateMean(
    observations.map(({ value }) => ({ stratum: null, value })),
    oneStratum,
    "two-sided-90",
  );
  assert.ok(whole);
  assert.ok(estimateDifference(whole, whole, "two-sided-90").degreesOfFreedom.minus(8).abs().lt("1e-40"));
});

test("emissions add over fuels in both groups, and a stacked fuel counts for the project", () => {
  const stacked = (gas: string) =>
    wood(40, "8").map((each, index) => ({
      ...each,
      burnt: { ...each.burnt, ...burntOf({ lpg: `${Number(gas) + index / 1000}` }) },
    }));
  const outcome = evaluateCampaign(
    campaign({
      method: "vm0050-1",
      parameters: { eta_new: decimal("0.35"), eta_old: decimal("0.15"), LE_RB: zero, PE_other: zero },
      groups: { reference: wood(40, "16"), intervention: stacked("1") },
    }),
  );
  assert.deepEqual(
    outcome.asMeasured?.fuels.map(({ fuel }) => fuel),
    ["wood", "lpg"],
  );
  const steps = outcome.asMeasured?.result.steps ?? [];
  assert.deepEqual(
    steps.filter(({ symbol }) => symbol === "E_p" || symbol === "E_b").map(({ symbol, of }) => `${symbol} ${of}`),
    ["E_b baseline wood", "E_p project wood", "E_p project lpg"],
  );
  // TPDDTEC needs a baseline for a fuel; only the project burns this one.
  assert.deepEqual(
    broken(
      campaign({
        method: "tpddtec-4",
        parameters: {},
        groups: { reference: wood(40, "16"), intervention: stacked("1") },
      }),
    ),
    ["project.1.fuel fuel-covered"],
  );
});

test("wet wood has the calorific value that its water leaves", () => {
  const wet = { dryNcv: decimal("0.0184"), moisture: decimal("0.2") };
  const outcome = evaluateCampaign(campaign({ factors: { wood: { values: { fNRB: decimal("0.4") }, wet } } }));
  const ncv = outcome.asMeasured?.result.values.find(({ symbol }) => symbol === "NCV")?.value;
  assert.equal(ncv?.toString(), "0.014232");
});

test("shows missing positions as users without saving and as a baseline of nothing", () => {
  const groups = { reference: missing(wood(40, "16"), 1), intervention: missing(wood(40, "8"), 2) };
  const { asMeasured, withMissing } = evaluateCampaign(campaign({ groups }));
  const [before, after] = [asMeasured?.fuels[0], withMissing?.fuels[0]];
  assert.equal(after?.reference.mean.toFixed(20), before?.reference.mean.times(39).div(40).toFixed(20));
  const filled = before?.intervention.mean.times(38).plus(before.reference.mean.times(2)).div(40);
  assert.equal(after?.intervention.mean.toFixed(20), filled?.toFixed(20));
  assert.ok(withMissing?.result.reductions.lt(asMeasured?.result.reductions ?? zero));
});

test("in a pair, a household that is missing afterwards saved nothing", () => {
  const groups = { reference: wood(40, "16"), intervention: missing(wood(40, "8"), 4) };
  const outcome = evaluateCampaign(campaign({ design: "paired", groups }));
  assert.equal(outcome.withMissing?.fuels[0]?.saving.mean.toFixed(20), "1.80000000000000000000");
});

test("a pair that lacks one measurement is missing, whichever group lacks it", () => {
  const without = (first: number, count: number) => (each: SampledPosition, index: number) =>
    index < first || index >= first + count ? each : { position: each.position };
  const split = (count: number) =>
    evaluateCampaign(
      campaign({
        design: "paired",
        groups: {
          reference: wood(40, "16").map(without(0, count)),
          intervention: wood(40, "8").map(without(count, count)),
        },
      }),
    );
  const few = split(1);
  assert.deepEqual(few.groups.reference, { drawn: 40, measured: 39, missing: 1 });
  assert.ok(few.certifiable?.eq(few.asMeasured?.result.reductions ?? 0));
  const more = split(2);
  assert.ok(more.withMissing?.result.reductions.lt(more.asMeasured?.result.reductions ?? zero));
  assert.ok(more.certifiable?.eq(more.withMissing?.result.reductions ?? 0));
  const many = split(4);
  assert.equal(many.certifiable, null);
  const reasons = ["groups.intervention missing-at-most-tenth", "groups.reference missing-at-most-tenth"];
  assert.deepEqual(rules(many.reasons), reasons);
  assert.match(JSON.stringify(many.reasons), /8 of 40 pairs lack a measurement/);
});

test("certifies as measured up to 5 % missing, the lower reading up to 10 %, and nothing above", () => {
  const withGaps = (count: number) =>
    evaluateCampaign(campaign({ groups: { reference: wood(40, "16"), intervention: missing(wood(40, "8"), count) } }));
  const few = withGaps(2);
  assert.ok(few.certifiable?.eq(few.asMeasured?.result.reductions ?? 0));
  const more = withGaps(4);
  assert.ok(more.certifiable?.eq(more.withMissing?.result.reductions ?? 0));
  assert.ok(more.withMissing?.result.reductions.lt(more.asMeasured?.result.reductions ?? zero));
  const many = withGaps(5);
  assert.equal(many.certifiable, null);
  assert.deepEqual(rules(many.reasons), ["groups.intervention missing-at-most-tenth"]);
  assert.ok(many.asMeasured !== null && many.withMissing !== null, "the result is shown all the same");
});

test("leaving out the households that lower a result lowers it instead", () => {
  const all = campaign();
  const worst = campaign({ groups: { ...all.groups, intervention: missing(wood(40, "8"), 4) } });
  assert.ok(reductionOf(worst).lt(reductionOf(all)));
});

test("names every reason why nothing can be certified", () => {
  const outcome = evaluateCampaign(
    campaign({
      test: { startDate: "2025-05-01", endDate: "2025-05-02", dayCount: "calendar" },
      groups: { reference: wood(12, "8"), intervention: missing(wood(12, "16"), 2) },
      usageSurvey: [
        { age: 1, surveyed: 20, inUse: 20 },
        { age: 2, surveyed: 5, inUse: 5 },
      ],
      devices: [...devices.slice(0, 60), { serial: "old", installedOn: "2023-07-01" }],
    }),
  );
  assert.equal(outcome.certifiable, null);
  assert.deepEqual(rules(outcome.reasons), [
    "groups reduction-positive",
    "groups.intervention minimum-sample",
    "groups.intervention missing-at-most-tenth",
    "groups.reference minimum-sample",
    "test days-reach-minimum",
    "usageSurvey cohort-has-devices",
    "usageSurvey cohort-reaches-minimum",
    "usageSurvey cohort-reaches-minimum",
    "usageSurvey survey-reaches-minimum",
  ]);
});

test("says that no reduction is known where a group or stratum is too small", () => {
  const tiny = evaluateCampaign(campaign({ groups: { reference: wood(1, "16"), intervention: wood(40, "8") } }));
  assert.deepEqual([tiny.asMeasured, tiny.certifiable], [null, null]);
  assert.ok(rules(tiny.reasons).includes("groups reduction-known"));
  const strata = [
    { name: "a", share: decimal("0.5") },
    { name: "b", share: decimal("0.5") },
  ];
  const inStratum = (positions: SampledPosition[]) =>
    positions.map((each, index) => ({ ...each, stratum: index === 0 ? "b" : "a" }));
  const lone = evaluateCampaign(
    campaign({ strata, groups: { reference: inStratum(wood(40, "16")), intervention: inStratum(wood(40, "8")) } }),
  );
  assert.deepEqual(rules(lone.reasons), [
    "groups reduction-known",
    "groups.intervention stratum-measured",
    "groups.reference stratum-measured",
  ]);
});

test("flags identical households and a variance of 0, and changes no figure for it", () => {
  const same = Array.from({ length: 40 }, (_, index) => position(index, { wood: "16" }));
  const { flags, certifiable } = evaluateCampaign(
    campaign({ groups: { reference: same, intervention: wood(40, "8") } }),
  );
  assert.deepEqual(
    flags.map(({ group, rule, positions }) => [group, rule, positions.length]),
    [
      ["reference", "identical-values", 40],
      ["reference", "no-variance", 40],
    ],
  );
  assert.ok(certifiable?.gt(0));
});

test("refuses with every broken rule together", () => {
  const group = (name: TestGroup) => (name === "reference" ? wood(40, "16") : wood(39, "8"));
  const input = campaign({
    method: "smec-4",
    design: "paired",
    test: { startDate: "2025-05-04", endDate: "2025-05-01", dayCount: "calendar" },
    strata: [{ name: "a", share: decimal("0.5") }],
    groups: { reference: group("reference"), intervention: [position(0, { wood: "-1" }), ...group("intervention")] },
    householdSize: zero,
    usageSurvey: [
      { age: 1, surveyed: 3, inUse: 4 },
      { age: 1, surveyed: 3, inUse: 3 },
    ],
    factors: {
      wood: {
        values: { fNRB: decimal(2), NCV: decimal("0.0156") },
        wet: { dryNcv: decimal("0.018"), moisture: decimal(1) },
      },
    },
    parameters: { DAF: decimal(2), HE: decimal(1) },
    devices: [{ serial: "A", installedOn: "yesterday" }],
  });
  const found = broken(input);
  for (const rule of [
    "devices.0.installedOn date",
    "factors.wood.NCV one-ncv",
    "factors.wood.fNRB range",
    "factors.wood.moisture range",
    "groups.intervention pair-complete",
    "groups.intervention.0.burnt.wood range",
    "groups.intervention.1.position position-once",
    "groups.reference.0.stratum stratum-named",
    "householdSize range",
    "parameters.DAF range",
    "parameters.life parameter-given",
    "strata shares-make-one",
    "test.endDate dates-in-order",
    "usageSurvey age-once",
    "usageSurvey.0.inUse range",
  ]) {
    assert.ok(found.includes(rule), `${rule} in ${found.join("; ")}`);
  }
  assert.deepEqual(broken(campaign({ method: "mecd-useful-energy" })), ["method method-known"]);
});

const stated = {
  devices: { devices: decimal(1000), newDevices: decimal(1000) },
  usageSurvey: { share: decimal("0.92") },
};

test("SMEC's worked case: option B, stated devices and a stated usage", () => {
  // 1.3 t a year in every household of the project; the reference group does not decide.
  const groups = {
    reference: wood(40, "16"),
    intervention: Array.from({ length: 40 }, (_, index) => ({
      position: index,
      daily: { wood: { numerator: 1300n, denominator: 365n } },
    })),
  };
  const { asMeasured, devices } = evaluateCampaign(
    campaign({
      ...stated,
      groups,
      baseline: "minimum-service",
      householdSize: decimal("4.5"),
      factors: { wood: { values: { fNRB: decimal("0.8"), EF_nonCO2: decimal("4.8") } } },
      parameters: { DAF: decimal("0.1"), life: decimal(3), HE: decimal("0.9") },
    }),
  );
  const { baseline, project, leakage, reductions } = asMeasured?.result ?? assert.fail("not calculated");
  assert.equal(devices, null);
  assert.deepEqual(
    [baseline, project, leakage, reductions].map((each) => each.toFixed(40)),
    ["2606.351904", "1761.27744", "33.90148928", "726.66552832"].map((text) => decimal(text).toFixed(40)),
  );
});

test("a survey of all devices needs the method's minimum, and ages need registered devices", () => {
  const surveyed = (count: number) =>
    rules(evaluateCampaign(campaign({ ...stated, usageSurvey: { surveyed: count, inUse: count } })).reasons);
  assert.deepEqual(surveyed(100), []);
  assert.deepEqual(surveyed(99), ["usageSurvey survey-reaches-minimum"]);
  assert.deepEqual(broken(campaign({ ...stated, usageSurvey: [{ age: 1, surveyed: 9, inUse: 9 }] })), [
    "usageSurvey devices-registered",
  ]);
  assert.deepEqual(
    broken(
      campaign({
        devices: { devices: decimal(-1), newDevices: decimal(0) },
        usageSurvey: { share: decimal("1.1") },
      }),
    ),
    ["devices.devices range", "usageSurvey.share range"],
  );
});

test("a recorded minimum that is stricter than the method's takes its place, a looser one does not", () => {
  const reasons = (...minimums: [RecordedMinimum["name"], number | string][]) => {
    const recorded = minimums.map(([name, value]) => ({ name, value: decimal(value), source: "PRM-7" }));
    return evaluateCampaign(campaign({ minimums: recorded })).reasons;
  };
  assert.deepEqual(reasons(["sample", 10], ["days", 1], ["usage-survey", 50], ["usage-cohort", 10]), []);
  const strict = reasons(["sample", 10], ["sample", 500], ["days", 9], ["usage-survey", 999], ["usage-cohort", 999]);
  assert.deepEqual(rules(strict), [
    "groups.intervention minimum-sample",
    "groups.reference minimum-sample",
    "test days-reach-minimum",
    "usageSurvey cohort-reaches-minimum",
    "usageSurvey survey-reaches-minimum",
  ]);
  assert.match(strict[0]?.message ?? "", /9 are needed \(PRM-7\)/);
});

test("a frame smaller than the minimum sample is measured as a whole", () => {
  const sizes = (reference: number, intervention: number) =>
    rules(
      evaluateCampaign(
        campaign({
          groups: { reference: wood(12, "16"), intervention: wood(12, "8") },
          frameSizes: { reference, intervention },
        }),
      ).reasons,
    );
  assert.deepEqual(sizes(12, 12), []);
  assert.deepEqual(sizes(12, 13), ["groups.intervention minimum-sample"]);
});

test("a frame smaller than the minimum sample has every household that could be in it", () => {
  const reasons = (leftOut: LeftOut, intervention = 12) =>
    evaluateCampaign(
      campaign({
        groups: { reference: wood(12, "16"), intervention: wood(intervention, "8") },
        frameSizes: { reference: 12, intervention },
        leftOut,
      }),
    ).reasons;
  assert.deepEqual(reasons({ reference: 0, intervention: 0 }), []);
  const picked = reasons({ reference: 0, intervention: 388 });
  assert.deepEqual(rules(picked), ["groups.intervention small-frame-complete"]);
  assert.match(picked[0]?.message ?? "", /has 12 households, fewer than the 30 .* and leaves out 388 that/);
  // Who could be in a reference frame is not counted.
  assert.deepEqual(reasons({ intervention: 0 }), []);
  assert.deepEqual(reasons({ reference: 0 }, 30), []);
});

test("option B has a level of wood and charcoal only", () => {
  const burning = (fuel: FuelId) => [0, 1, 2].map((index) => position(index, { [fuel]: `${8 + index}` }));
  const groups = { reference: burning("kerosene"), intervention: burning("kerosene") };
  assert.deepEqual(broken(campaign({ ...stated, groups, baseline: "minimum-service", factors: {} })), [
    "baseline minimum-service-known",
  ]);
});
