import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { workedPair, workedParams } from "../../../test/support/emissions.ts";
import { AppError } from "../../platform/errors.ts";
import { type Decimal, decimal, sumOf } from "./decimal.ts";
import { resolveFnrb } from "./fnrb.ts";
import type { Pair } from "./methods/method.ts";
import type { Smec4Params } from "./methods/smec-4.ts";
import { type CalculationInput, calculateReduction } from "./methods.ts";
import { quantity } from "./units.ts";

const smec = (baseline: Pair[], activity: Pair[], params: Partial<Smec4Params> = {}) =>
  calculateReduction({
    method: "smec-4",
    baselinePairs: baseline,
    activityPairs: activity,
    params: workedParams(params),
  });
const plain = (baseline: Pair[], activity: Pair[], leakage = "0") =>
  calculateReduction({
    method: "tpddtec",
    baselinePairs: baseline,
    activityPairs: activity,
    params: { leakage: quantity(decimal(leakage), "tCO2e") },
  });
const results = ({ be, ae, le, er }: ReturnType<typeof smec>) => [be, ae, le, er].map(({ value }) => value.toString());
const figureOf = (reduction: ReturnType<typeof smec>, name: string) => {
  const found = reduction.lines.find((line) => line.name.includes(name));
  assert.ok(found, name);
  return found.value.toString();
};

test("smec-4: gives the worked case, its baseline by option B, exactly", () => {
  const reduction = smec([workedPair("2.1375")], [workedPair("1.3")]);
  assert.deepEqual(results(reduction), ["2606.351904", "1761.27744", "33.90148928", "726.66552832"]);
  assert.deepEqual([reduction.method, reduction.version], ["smec-4", "4.0"]);
  assert.equal(reduction.inputs.method, "smec-4");
});

test("smec-4: shows each adjustment on a separate line", () => {
  const reduction = smec([workedPair("2.1375")], [workedPair("1.3")]);
  assert.equal(figureOf(reduction, "BAU"), "2895.94656");
  assert.equal(figureOf(reduction, "Δ = BAU − BE"), "289.594656");
  assert.equal(figureOf(reduction, "Hawthorne adjustment"), "-84.5074464");
  assert.equal(figureOf(reduction, "Embodied leakage"), "17");
  assert.equal(figureOf(reduction, "Market leakage"), "16.90148928");
});

test("smec-4: sums several pairs on each side", () => {
  const half = { units: decimal(500) };
  const reduction = smec(
    [workedPair("2.1375", half), workedPair("2.1375", half)],
    [workedPair("1.3", half), workedPair("1.3", half)],
  );
  assert.equal(results(reduction)[3], "726.66552832");
});

test("smec-4: holds the baseline between nothing and business as usual, whatever the downward adjustment", () => {
  const be = (daf: string) => results(smec([workedPair("2.1375")], [workedPair("1.3")], { daf: decimal(daf) }))[0];
  assert.deepEqual(["-0.5", "0", "1", "1.5"].map(be), ["2895.94656", "2895.94656", "0", "0"]);
});

test("smec-4: charges short-lived units up front, others a fifth in each of five years", () => {
  const embodied = (life: string, creditingYear?: number) =>
    figureOf(smec([workedPair("2")], [workedPair("1")], { life: decimal(life), creditingYear }), "Embodied leakage");
  assert.equal(embodied("4.9"), "17");
  assert.deepEqual(
    [undefined, 1, 5, 6].map((year) => embodied("5", year)),
    ["3.4", "3.4", "3.4", "0"],
  );
});

test("smec-4: answers a negative reduction as it is", () => {
  assert.ok(smec([workedPair("1")], [workedPair("2")]).er.value.isNegative());
});

test("tpddtec: is baseline less project less assessed leakage", () => {
  // 1000·0.92·(2.1375 − 1.3) t·0.0156 TJ/t·(112·0.8 + 4.8) t/TJ = 1134.66912
  const reduction = plain([workedPair("2.1375")], [workedPair("1.3")], "12.5");
  assert.deepEqual(results(reduction), ["2895.94656", "1761.27744", "12.5", "1122.16912"]);
});

test("names the source of every line", () => {
  for (const { lines } of [smec([workedPair("2")], [workedPair("1")]), plain([workedPair("2")], [workedPair("1")])]) {
    for (const line of lines) assert.ok(line.source.length > 0 && line.unit.length > 0, line.name);
  }
});

const brokenRules = (run: () => unknown): string[] => {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof AppError);
    assert.equal(error.code, "RULE_VIOLATION");
    return error.details.map(({ path, rule }) => `${path} ${rule}`).sort();
  }
  return [];
};

test("refuses with every broken rule together, a wrong unit among them", () => {
  const inKilograms = quantity(decimal(2000), "kg") as unknown as Pair["fuel"];
  const pair = workedPair("1", { usage: decimal("1.1"), efNonCo2: decimal(-1), fuel: inKilograms });
  assert.deepEqual(
    brokenRules(() => smec([pair], [], { he: decimal("1.2"), creditingYear: 0 })),
    [
      "baselinePairs.0.ef_nonco2 range",
      "baselinePairs.0.p_fuel range",
      "baselinePairs.0.p_fuel units-match",
      "baselinePairs.0.usage range",
      "params.creditingYear range",
      "params.he range",
    ],
  );
  assert.deepEqual(
    brokenRules(() => plain([], [], "-1")),
    ["baselinePairs pairs-present", "params.leakage range"],
  );
});

test("smec-4: refuses a Hawthorne factor under which saving more fuel would lower the reduction", () => {
  const rules = (he: string) => brokenRules(() => smec([workedPair("2")], [workedPair("1")], { he: decimal(he) }));
  assert.deepEqual(rules("0.019"), ["params.he range"]);
  assert.deepEqual(rules("0.02"), []);
});

test("refuses an fNRB above the registry default until a regulator's approval is named", () => {
  const fnrb = decimal("0.41");
  assert.deepEqual(
    brokenRules(() => resolveFnrb({ area: "ZMB", fnrb })),
    ["fnrb fnrb-within-default"],
  );
  assert.deepEqual(
    brokenRules(() => resolveFnrb({ area: "ZMB", fnrb, approval: "  " })),
    ["fnrb fnrb-within-default"],
  );
  assert.deepEqual(
    brokenRules(() => resolveFnrb({ area: "MWI", fnrb })),
    [],
  );
  assert.equal(resolveFnrb({ area: "ZMB", fnrb: decimal("0.4") }).fnrb.toString(), "0.4");
  assert.match(resolveFnrb({ area: "ZMB", fnrb, approval: "ZEMA/2026/14" }).line.source, /ZEMA\/2026\/14/);
  assert.deepEqual(
    brokenRules(() => resolveFnrb({ area: "FRA" as "ZMB" })),
    ["fnrb fnrb-default-known"],
  );
});

test("takes the registry default of each area where no fNRB is given", () => {
  const areas = ["ZMB", "MWI", "KEN", "SSA"] as const;
  assert.deepEqual(
    areas.map((area) => resolveFnrb({ area }).fnrb.toString()),
    ["0.4", "0.48", "0.29", "0.4"],
  );
});

const thousandths = (min: number, max: number) => fc.integer({ min, max }).map((value) => decimal(value).div(1000));
const anyPair = fc.record({
  usage: thousandths(0, 1000),
  ncv: thousandths(1, 50),
  efCo2: thousandths(0, 200_000),
  fnrb: thousandths(0, 1000),
  efNonCo2: thousandths(0, 50_000),
  units: fc.integer({ min: 0, max: 1_000_000 }).map((value) => decimal(value)),
  fuel: thousandths(0, 5000).map((value) => quantity(value, "t")),
});
const anyPairs = fc.array(anyPair, { minLength: 1, maxLength: 4 });
const anyParams = fc.record({
  daf: thousandths(-500, 1500),
  newUnits: fc.integer({ min: 0, max: 100_000 }).map((value) => decimal(value)),
  life: thousandths(500, 20_000),
  creditingYear: fc.integer({ min: 1, max: 12 }),
  he: thousandths(20, 1000),
});
const anyInput: fc.Arbitrary<CalculationInput> = fc.oneof(
  fc.record({
    method: fc.constant("smec-4" as const),
    baselinePairs: anyPairs,
    activityPairs: anyPairs,
    params: anyParams,
  }),
  fc.record({
    method: fc.constant("tpddtec" as const),
    baselinePairs: anyPairs,
    activityPairs: anyPairs,
    params: fc.record({ leakage: thousandths(0, 1_000_000).map((value) => quantity(value, "tCO2e")) }),
  }),
);
const lessFuel = (pairs: readonly Pair[], share: Decimal) =>
  pairs.map((pair) => ({ ...pair, fuel: quantity(pair.fuel.value.times(share), "t") }));

test("saving more fuel never lowers the reduction, at fixed parameters, by any method", () => {
  fc.assert(
    fc.property(anyInput, thousandths(0, 1000), (input, share) => {
      const { er } = calculateReduction(input);
      const saving = calculateReduction({ ...input, activityPairs: lessFuel(input.activityPairs, share) });
      assert.ok(saving.er.value.gte(er.value));
      const wasteful = calculateReduction({ ...input, baselinePairs: lessFuel(input.baselinePairs, share) });
      assert.ok(wasteful.er.value.lte(er.value));
    }),
  );
});

test("k times the units is k times every result", () => {
  fc.assert(
    fc.property(anyInput, fc.integer({ min: 1, max: 100 }), (input, k) => {
      const more = (pairs: readonly Pair[]) => pairs.map((pair) => ({ ...pair, units: pair.units.times(k) }));
      const grown = {
        ...input,
        baselinePairs: more(input.baselinePairs),
        activityPairs: more(input.activityPairs),
        params:
          input.method === "smec-4"
            ? { ...input.params, newUnits: input.params.newUnits.times(k) }
            : { ...input.params, leakage: quantity(input.params.leakage.value.times(k), "tCO2e") },
      } as CalculationInput;
      const [one, many] = [calculateReduction(input), calculateReduction(grown)];
      for (const key of ["be", "ae", "le", "er"] as const) assert.ok(many[key].value.eq(one[key].value.times(k)), key);
    }),
  );
});

test("the lines add up: what is saved, the adjustments and the reduction", () => {
  fc.assert(
    fc.property(anyInput, (input) => {
      const { be, ae, le, er, lines } = calculateReduction(input);
      const adjustments = lines.filter(({ name }) => name.startsWith("Hawthorne adjustment")).map(({ value }) => value);
      assert.ok(er.value.eq(sumOf([be.value, ae.value.neg(), le.value.neg(), ...adjustments])));
    }),
  );
});
