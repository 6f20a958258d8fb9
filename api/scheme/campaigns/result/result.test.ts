import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { claimsOf, exampleCampaign } from "../../../../test/support/campaign-result.ts";
import { type Decimal, decimal } from "../../emissions/decimal.ts";
import { conservativeValue } from "../../emissions/statistics.ts";
import { defaultConfidence } from "../terms/terms.ts";
import type { MembersAt } from "./inputs/households.ts";
import { recordReplacement } from "./replacement-rules.ts";
import { serializeFigures } from "./response.ts";
import { type CampaignResult, resultOf } from "./result.ts";
import { campaignResult } from "./schemas.ts";

const nobody = () => null;
const reference = claimsOf("reference", [17_700, 18_300, 18_000, 18_600, 17_400]);
const intervention = claimsOf("intervention", [6_000, 9_000, 12_000]);
const named = { campaignId: "KPT-2026", confidence: defaultConfidence };

/** The answer as a client reads it. */
function responseOf(result: CampaignResult) {
  const text = JSON.stringify(serializeFigures(named, result));
  return { text, body: campaignResult.parse(JSON.parse(text)) };
}

const erOf = (result: CampaignResult, method = "smec-4"): Decimal => {
  const found = result.reductions.find((each) => each.method === method);
  assert.ok(found?.reduction, JSON.stringify(found?.broken));
  return found.reduction.er;
};

test("goes from claims to each group's figures, the saving and the reduction by each method", () => {
  const { body, text } = responseOf(resultOf(exampleCampaign(), [...intervention, ...reference], nobody));
  assert.partialDeepStrictEqual(body.groups.reference, {
    n: 5,
    mean: 6,
    standardDeviation: 0.158113883008,
    meets9010: true,
    claims: 5,
    sampleSize: 5,
    frameSize: 200,
    requiredSampleSize: 1,
    meetsRequiredSampleSize: true,
  });
  assert.partialDeepStrictEqual(body.groups.intervention, {
    n: 3,
    mean: 3,
    standardDeviation: 1,
    meets9010: false,
    requiredSampleSize: 27,
    meetsRequiredSampleSize: false,
  });
  assert.partialDeepStrictEqual(body.saving, { mean: 3, share: 0.5 });
  // 6 kg against the upper bound 3 + t(0.95, 2)·1/√3.
  assert.equal(body.saving.conservative?.toFixed(9), "1.314145539");
  const [smec, plain] = body.emissions.reductions;
  assert.deepEqual([smec?.method, smec?.er?.toFixed(6), smec?.assumptions], ["smec-4", "150.035174", []]);
  assert.deepEqual([plain?.method, plain?.assumptions], ["tpddtec", []]);
  assert.match(text, /"er":150\.0351\d{30,}/);
  assert.ok(smec?.lines.some(({ name, source }) => name === "NCV" && source.startsWith("IPCC 2006")));
});

test("takes a household as one unit: the fuel of all its claims over all their days", () => {
  const twice = { id: "KPT-second", group: "reference", position: 0, totalGrams: 6_300n, logs: 7 } as const;
  const result = resultOf(exampleCampaign(), [...reference, twice], nobody);
  const { statistics, households, claims } = result.groups.reference;
  assert.deepEqual([claims, statistics.n], [6, 5]);
  assert.deepEqual(households[0]?.claimIds, ["KPT-reference-0", "KPT-second"]);
  // (17.7 + 6.3) ÷ (3 + 7) in place of 5.9.
  assert.equal(
    statistics.mean?.toString(),
    decimal("2.4").plus("6.1").plus("6").plus("6.2").plus("5.8").div(5).toString(),
  );
});

test("names an outlier by position and claims, and leaves it in every figure", () => {
  const wild = claimsOf("intervention", [9_000, 9_300, 8_700, 9_000, 60_000]);
  const { body, text } = responseOf(resultOf(exampleCampaign(), [...reference, ...wild], nobody));
  const { outliers, n, mean } = body.groups.intervention;
  assert.deepEqual(outliers, [{ position: 4, claimIds: ["KPT-intervention-4"], value: 20, side: "high" }]);
  assert.deepEqual([n, mean], [5, 6.4]);
  assert.doesNotMatch(text, /did:/);
});

test("counts per standard adult where the members are known, and says how many are not", () => {
  const family = { children: 2, women: 1, men: 1, elderly: 0 };
  const empty = { children: 0, women: 0, men: 0, elderly: 0 };
  const membersAt = (_: string, position: number) => (position === 0 ? family : position === 1 ? empty : null);
  const { body } = responseOf(resultOf(exampleCampaign(), [...reference, ...intervention], membersAt));
  const { reference: adults } = body.perStandardAdult.groups;
  // 5.9 kg a day for 2.8 standard adults.
  assert.deepEqual([adults.n, adults.householdsWithoutSize, adults.mean], [1, 4, 2.107142857143]);
  assert.equal(body.perStandardAdult.groups.intervention.mean, 0.714285714286);
});

test("marks the lines that adjust a reduction, by the method's own list of symbols", () => {
  const methodParameters = { eta_new: "0.2", eta_old: "0.15", LE_RB: "2", PE_other: "1" };
  const terms = { ...exampleCampaign().terms, method: "vm0050-1", methodParameters } as const;
  const adjusting = (method: string, campaign = exampleCampaign()) =>
    resultOf(campaign, [...reference, ...intervention], nobody)
      .reductions.find((each) => each.method === method)
      ?.reduction?.lines.filter(({ isAdjustment }) => isAdjustment)
      .map(({ name }) => name);
  const precision = ["Baseline: adjustment for precision", "Activity: adjustment for precision"];
  assert.deepEqual(adjusting("vm0050-1", exampleCampaign({ terms })), [
    ...precision,
    "l",
    "LE_RB",
    "Baseline energy that the project's energy explains, EC_est",
    "Share of the baseline that is credited after the cross-check of stacking, k",
    "Leakage, LE",
  ]);
  assert.deepEqual(adjusting("tpddtec"), [
    "Parameter: leakage",
    ...precision,
    "LE",
    "P_CAP",
    "Baseline: Baseline fuel of a device, at most the cap, P_adj",
  ]);
});

test("names every parameter that nobody gave, for the methods that read it", () => {
  const { body } = responseOf(resultOf(exampleCampaign({ terms: {} }), [...reference, ...intervention], nobody));
  const [smec, plain] = body.emissions.reductions.map(({ assumptions }) =>
    assumptions.map(({ parameter }) => parameter),
  );
  const both = ["units", "householdSize", "fuel", "area", "usage"];
  assert.deepEqual(smec, [...both, "newUnits", "life", "daf", "he"]);
  assert.deepEqual(plain, [...both, "leakage"]);
  assert.notEqual(body.emissions.reductions[0]?.er, null);
  const sources = body.emissions.reductions[0]?.lines.map(({ name, source }) => `${name} ${source}`).join("\n") ?? "";
  assert.match(sources, /^Parameter: usage assumed: every unit is in use$/m);
  assert.match(sources, /^Household size assumed: no household's members are registered$/m);
});

test("takes the registered members for the household size, as given only where all of the reference group's are known", () => {
  const { householdSize: _, ...terms } = exampleCampaign().terms;
  const claims = [...reference, ...intervention];
  const sized = (known: number) =>
    resultOf(exampleCampaign({ terms }), claims, (group, position) =>
      group === "reference" && position < known ? { children: position, women: 1, men: 1, elderly: 0 } : null,
    ).reductions[0];
  assert.deepEqual(sized(5)?.assumptions, []);
  assert.match(
    sized(5)?.reduction?.lines.find(({ name }) => name === "Household size")?.source ?? "",
    /^mean of the 5/,
  );
  assert.deepEqual(
    sized(4)?.assumptions.map(({ parameter, value }) => [parameter, value]),
    [["householdSize", "3.5"]],
  );
});

test("says by rule why no reduction follows, and still describes what was measured", () => {
  const terms = { ...exampleCampaign().terms, fnrb: "0.9" };
  const { body } = responseOf(resultOf(exampleCampaign({ terms }), reference.slice(0, 1), nobody));
  const [smec] = body.emissions.reductions;
  assert.equal(smec?.er, null);
  assert.deepEqual(
    smec?.broken.map(({ rule }) => rule),
    ["group-measured", "group-measured", "fnrb-within-default"],
  );
  assert.deepEqual([body.groups.reference.mean, body.groups.intervention.mean, body.saving.mean], [5.9, null, null]);
});

const grams = fc.array(fc.integer({ min: 100, max: 20_000 }), { minLength: 2, maxLength: 40 });

test("more fuel saved in every household never lowers the reduction, by either method", () => {
  fc.assert(
    fc.property(grams, grams, fc.integer({ min: 0, max: 99 }), (before, after, percent) => {
      // Whole grams at every share, so that each household saves the same part more and the precision stays.
      const er = (share: number, method: string) => {
        const totals = after.map((value) => value * share);
        const claims = [...claimsOf("reference", before), ...claimsOf("intervention", totals, 300)];
        return erOf(resultOf(exampleCampaign(), claims, nobody), method);
      };
      for (const method of ["smec-4", "tpddtec"]) assert.ok(er(percent, method).plus("1e-30").gte(er(100, method)));
    }),
    { numRuns: 60 },
  );
});

test("narrower data of the same mean never lowers the lower bound, nor the reduction that is made of it", () => {
  const deviations = fc.array(fc.integer({ min: 0, max: 5_000 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(deviations, fc.integer({ min: 0, max: 99 }), (spread, percent) => {
      const around = (share: number) => spread.flatMap((each) => [600_000 - each * share, 600_000 + each * share]);
      const describe = (share: number) =>
        resultOf(exampleCampaign(), [...claimsOf("reference", around(share), 100), ...intervention], nobody);
      const [narrow, wide] = [describe(percent), describe(100)];
      const bound = ({ groups }: CampaignResult) => groups.reference.statistics.lowerBound as Decimal;
      const taken = ({ groups }: CampaignResult) => conservativeValue(groups.reference.statistics, "lower")?.value;
      assert.ok(bound(narrow).plus("1e-30").gte(bound(wide)));
      assert.ok(
        taken(narrow)
          ?.plus("1e-30")
          .gte(taken(wide) ?? 0),
      );
      assert.ok(erOf(narrow).plus("1e-30").gte(erOf(wide)));
    }),
    { numRuns: 60 },
  );
});

test("is the same whatever the order in which the claims were recorded", () => {
  const claims = [
    ...reference,
    ...intervention,
    { ...reference[0], id: "KPT-z", totalGrams: 1n } as (typeof reference)[0],
  ];
  const expected = responseOf(resultOf(exampleCampaign(), claims, nobody)).text;
  fc.assert(
    fc.property(fc.shuffledSubarray(claims, { minLength: claims.length }), (shuffled) => {
      assert.ok(responseOf(resultOf(exampleCampaign(), shuffled, nobody)).text === expected);
    }),
    { numRuns: 20 },
  );
});

test("adds the committed method to those that are always shown, with its parameters", () => {
  const terms = {
    ...exampleCampaign().terms,
    method: "vm0050-1",
    methodParameters: { eta_new: "0.35", eta_old: "0.15", LE_RB: "0", PE_other: "0" },
  } as const;
  const { body } = responseOf(resultOf(exampleCampaign({ terms }), [...reference, ...intervention], nobody));
  const [smec, , vm0050] = body.emissions.reductions;
  assert.deepEqual([vm0050?.method, vm0050?.version, vm0050?.broken, vm0050?.assumptions], ["vm0050-1", "1.0", [], []]);
  assert.ok(vm0050?.lines.some(({ name, value }) => name === "eta_new" && value === 0.35));
  assert.deepEqual(
    smec?.certifiable.problems.map(({ rule }) => rule).filter((rule) => rule === "terms-committed"),
    ["terms-committed"],
  );
  const { methodParameters: _, ...without } = terms;
  const missing = responseOf(resultOf(exampleCampaign({ terms: without }), [...reference, ...intervention], nobody));
  assert.deepEqual(
    missing.body.emissions.reductions[2]?.broken.map(({ path, rule }) => `${path} ${rule}`),
    ["eta_new", "eta_old", "LE_RB", "PE_other"].map((symbol) => `parameters.${symbol} parameter-given`),
  );
});

test("flags households with the same use, and changes no figure for it", () => {
  const same = claimsOf("reference", [18_000, 18_000, 18_000]);
  const { body } = responseOf(resultOf(exampleCampaign(), [...same, ...intervention], nobody));
  assert.deepEqual(
    body.flags.map(({ group, rule, positions }) => [group, rule, positions]),
    [
      ["reference", "identical-values", [0, 1, 2]],
      ["reference", "no-variance", [0, 1, 2]],
      ["reference", "household-size-stated", []],
      ["intervention", "figures-stated", []],
      ["reference", "household-sizes-unknown", []],
      ["intervention", "area-stated", []],
    ],
  );
});

test("flags days that the field team could choose", () => {
  const test = { startDate: "2026-02-01", endDate: "2026-02-10", dayCount: "calendar" } as const;
  const whole = claimsOf("reference", [60_000, 61_000, 62_000], 10);
  const [best, ...others] = claimsOf("intervention", [29_000, 30_000, 31_000], 10);
  const flagged = (claims: Parameters<typeof resultOf>[1]) =>
    resultOf(exampleCampaign({ test }), claims, nobody).flags.flatMap(({ group, rule, positions }) =>
      ["days-chosen", "days-differ", "measured-again"].includes(rule) ? [`${group} ${rule} ${positions}`] : [],
    );
  assert.ok(best);
  assert.deepEqual(flagged([...whole, best, ...others]), []);
  assert.deepEqual(flagged([...whole, { ...best, totalGrams: 6_000n, logs: 3 }, ...others]), [
    "intervention days-chosen 0",
    "intervention days-differ 0",
  ]);
  const again = { ...best, id: "KPT-again", totalGrams: 3_000n, logs: 4 };
  assert.deepEqual(flagged([...whole, { ...best, totalGrams: 20_000n, logs: 6 }, again, ...others]), [
    "intervention measured-again 0",
  ]);
});

test("flags figures that only the terms state, and devices that no survey could draw", () => {
  const flagged = (changes: Parameters<typeof exampleCampaign>[0]) =>
    resultOf(exampleCampaign(changes), [...reference, ...intervention], nobody).flags.flatMap(({ rule, message }) =>
      rule === "figures-stated" || rule === "devices-not-drawable" ? [message] : [],
    );
  assert.deepEqual(flagged({}), [
    "The terms state figures that no record here supports: units 1000, newUnits 1000, life 3, daf 0.1, he 0.9, leakage 0, usage of 92 in 100 devices.",
  ]);
  const terms = { method: "vm0050-1", fuel: "wood", area: "ZMB", methodParameters: { eta_new: "0.9" } } as const;
  const cohorts = [
    { age: 1, devices: 12, days: 4_000, drawable: 2 },
    { age: 2, devices: 3, days: 1_095, drawable: 3 },
  ];
  assert.deepEqual(flagged({ terms, devices: { days: 5_095, cohorts, newDevices: 12 } }), [
    "The terms state figures that no record here supports: eta_new 0.9.",
    "10 of the 15 counted devices were installed after the day of the usage survey, so it could not draw them.",
  ]);
  assert.deepEqual(flagged({ terms: { method: "smec-4", fuel: "wood", area: "ZMB" } }), []);
});

test("counts replaced households, flags many of them and shared evidence, and certifies none where more left than were measured", () => {
  const hash = (text: string) => recordReplacement(0, text).evidence;
  const replacements = (...evidence: (string | null)[]) =>
    evidence.map((each, position) => recordReplacement(position, each));
  const outcomeOf = (changes: Parameters<typeof exampleCampaign>[0]) => {
    const { body } = responseOf(resultOf(exampleCampaign(changes), [...reference, ...intervention], nobody));
    const rules = body.flags.filter(({ rule }) => rule === "replacements-many" || rule === "same-evidence");
    return {
      replaced: [body.groups.reference.replaced, body.groups.intervention.replaced],
      flags: rules.map(({ group, rule, positions }) => `${group} ${rule} ${positions}`),
      refused: (body.emissions.reductions[0]?.certifiable.problems ?? []).flatMap(({ rule, path }) =>
        rule === "replacements-at-most-measured" ? [path] : [],
      ),
    };
  };
  assert.equal(hash("https://x.example/1#a"), hash("https://x.example/1#b"));
  assert.deepEqual(outcomeOf({}), { replaced: [undefined, undefined], flags: [], refused: [] });
  const one = { reference: replacements("https://x.example/1"), intervention: [] };
  assert.deepEqual(outcomeOf({ sampleSize: 10, replacements: one }).flags, []);
  const both = {
    reference: replacements("a:1", "a:2", null, null),
    intervention: replacements("a:3#x", "a:2#y", "a:3"),
  };
  assert.deepEqual(outcomeOf({ replacements: both }), {
    replaced: [4, 3],
    flags: [
      "reference replacements-many 0,1,2,3",
      "reference same-evidence 1",
      "intervention replacements-many 0,1,2",
      "intervention same-evidence 0,1,2",
    ],
    refused: [],
  });
  const missing = { reference: [8, 9], intervention: [] };
  assert.deepEqual(outcomeOf({ replacements: both, missing }).refused, ["groups.reference"]);
  // A pair is one household, which leaves both groups by one piece of evidence.
  const phase = { startDate: "2026-02-01", endDate: "2026-02-03" };
  const sampling = {
    profile: "90/10",
    coefficientOfVariation: "0.5",
    dropOut: "0",
    paired: { before: phase, after: phase },
  };
  const pair = { reference: replacements("a:1"), intervention: replacements("a:1") };
  assert.deepEqual(outcomeOf({ sampleSize: 10, sampling, replacements: pair } as never).flags, []);
});

test("flags a stated household size that the registered members do not support", () => {
  const four = () => ({ men: 1, women: 1, children: 2, elderly: 0 });
  const flagged = (householdSize: string | undefined, membersAt: MembersAt) => {
    const { householdSize: _, ...others } = exampleCampaign().terms;
    const terms = { ...others, ...(householdSize === undefined ? {} : { householdSize }) };
    const { flags } = resultOf(exampleCampaign({ terms }), [...reference, ...intervention], membersAt);
    return flags.flatMap(({ rule, message }) => (rule === "household-size-stated" ? [message] : []));
  };
  assert.deepEqual(flagged("4", four), []);
  assert.deepEqual(flagged(undefined, four), []);
  assert.deepEqual(flagged("4.5", four), [
    "The terms state householdSize 4.5; the registered members make 4 on average.",
  ]);
  assert.match(flagged("4", nobody)[0] ?? "", /the members of 0 of the \d+ measured reference households/);
});
