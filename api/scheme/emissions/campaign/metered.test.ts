import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../../../platform/errors.ts";
import { type Decimal, decimal, decimalText } from "../decimal.ts";
import type { FuelId } from "../fuels.ts";
import { evaluateCampaign } from "./evaluate.ts";
import type { CampaignInput, SampledPosition } from "./input.ts";

type Amounts = Partial<Record<FuelId, string>>;
const figures = (values: Record<string, string>) =>
  Object.fromEntries(Object.entries(values).map(([name, text]) => [name, decimal(text)])) as Record<string, Decimal>;
const positions = (count: number, amountsOf: (index: number) => Amounts | null): SampledPosition[] =>
  Array.from({ length: count }, (_, position) => {
    const amounts = amountsOf(position);
    return amounts === null ? { position } : { position, burnt: figures(amounts) };
  });

/** 40 households each: wood before, an electric stove after, metered for 73 days, a fifth of a year. */
function metered(changes: Partial<CampaignInput> = {}): CampaignInput {
  return {
    method: "mecd-specific-energy",
    convention: "two-sided-90",
    design: "independent",
    test: { startDate: "2025-05-01", endDate: "2025-07-12", dayCount: "calendar" },
    groups: {
      reference: positions(40, () => ({ wood: "300" })),
      intervention: positions(40, () => ({ electricity: "50" })),
    },
    householdSize: decimal(5),
    devices: { devices: decimal(0), newDevices: decimal(0) },
    creditingPeriod: { from: "2025-01-01", to: "2025-12-31" },
    usageSurvey: { share: decimal(1) },
    factors: {
      wood: { values: figures({ fNRB: "0.5", UEF: "0" }) },
      lpg: { values: figures({ UEF: "6" }) },
      electricity: { values: figures({ EF_el: "0.5", TDL: "0.1" }) },
    },
    parameters: figures({ SC_b: "0.002", SC_p: "0.0005", P_CAP: "1", DAF: "0", MPE: "0.01" }),
    meteredFuel: "electricity",
    ...changes,
  };
}

const resultOf = (input: CampaignInput) => {
  const { asMeasured, certifiable, reasons } = evaluateCampaign(input);
  const { result } = asMeasured ?? assert.fail("no reading");
  const { baseline, project, leakage, reductions, values } = result;
  return {
    texts: [baseline, project, leakage, reductions].map(decimalText),
    certifiable: certifiable === null ? null : decimalText(certifiable),
    rules: reasons.map(({ path, rule }) => `${path} ${rule}`),
    value: (symbol: string) => decimalText(values.find((each) => each.symbol === symbol)?.value ?? decimal(-1)),
  };
};
const brokenRules = (input: CampaignInput) => {
  try {
    evaluateCampaign(input);
    return [];
  } catch (error) {
    assert.ok(error instanceof AppError);
    return error.details.map(({ path, rule }) => `${path} ${rule}`).sort();
  }
};
const withGroups = (groups: Partial<CampaignInput["groups"]>) => ({ groups: { ...metered().groups, ...groups } });

test("metered energy replaces the fuels of the reference group: a hand-calculated example", () => {
  // 40 · 50 kWh = 2 MWh = 0.0072 TJ, instead of 4 times as much; EF_b = 112 · 0.5 + 9.46 = 65.46 tCO2e/TJ.
  // BE = 0.0288 · 65.46 = 1.885248; PE = 2 · 0.5 · 1.1 = 1.1; LE = 0.02 · 0.785248 = 0.01570496.
  const { texts, certifiable, rules, value } = resultOf(metered());
  assert.deepEqual(texts, ["1.885248", "1.1", "0.01570496", "0.76954304"]);
  assert.deepEqual([certifiable, rules], ["0.76954304", []]);
  // 40 households of 5 for a fifth of a year.
  assert.deepEqual([value("P"), value("users"), value("coverage"), value("share")], ["2", "40", "1", "1"]);
});

test("nothing is extrapolated: a missing device adds nothing, and other fuels of the project are not credited", () => {
  const stacking = positions(40, () => ({ electricity: "50", wood: "200" }));
  assert.deepEqual(resultOf(metered(withGroups({ intervention: stacking }))).texts, resultOf(metered()).texts);
  const fewer = positions(40, (index) => (index < 2 ? null : { electricity: "50" }));
  const { value, certifiable, rules } = resultOf(metered(withGroups({ intervention: fewer })));
  assert.deepEqual([value("P"), value("users"), value("coverage")], ["1.9", "38", "0.95"]);
  assert.deepEqual([certifiable, rules], [decimalText(decimal("0.76954304").times("0.95")), []]);
});

test("the cap counts the people for the days that were metered", () => {
  const capped = metered({ parameters: { ...metered().parameters, P_CAP: decimal("0.0005") } });
  // 40 person-years · 0.0005 TJ = 0.02 TJ instead of 0.0288.
  assert.equal(resultOf(capped).texts[0], decimalText(decimal("0.02").times("65.46")));
  const daily = (days: number) =>
    positions(40, () => ({})).map(({ position }) => {
      return { position, days, daily: { electricity: { numerator: 333n, denominator: 1000n } } };
    });
  const { value } = resultOf(metered(withGroups({ intervention: daily(73) })));
  assert.deepEqual([value("P"), value("users")], ["0.97236", "40"]);
});

test("devices whose meters report less than 95 % of the sample give no result", () => {
  const fewer = positions(40, (index) => (index < 3 ? null : { electricity: "50" }));
  assert.deepEqual(brokenRules(metered(withGroups({ intervention: fewer }))), ["parameters.coverage range"]);
});

test("a mix of fuels that is not known precisely is not certified", () => {
  const factors = { ...metered().factors, residues: { values: figures({ UEF: "0" }) } };
  const mix = (burnsWood: (index: number) => boolean) =>
    metered({
      factors,
      parameters: { ...metered().parameters, SC_b: decimal("0.005") },
      ...withGroups({ reference: positions(40, (i) => (burnsWood(i) ? { wood: "300" } : { residues: "400" })) }),
    });
  const uncertain = resultOf(mix((i) => i % 2 === 0));
  assert.deepEqual([uncertain.certifiable, uncertain.rules], [null, ["groups.reference baseline-mix-precise"]]);
  const precise = resultOf(mix((i) => i > 1));
  assert.deepEqual(precise.rules, []);
});

test("names every broken rule: the metered fuel, what is counted, the period, factors", () => {
  const parameters = { ...metered().parameters, users: decimal(9), coverage: decimal(1), N_new: decimal(0) };
  const found = brokenRules(
    metered({
      parameters,
      meteredFuel: undefined,
      factors: {},
      creditingPeriod: { from: "2026-01-01", to: "2026-12-31" },
    }),
  );
  assert.deepEqual(found, [
    "factors.wood.UEF parameter-given",
    "factors.wood.fNRB parameter-given",
    "meteredFuel metered-fuel-named",
    "parameters.N_new counted-from-devices",
    "parameters.coverage counted-from-devices",
    "parameters.users counted-from-devices",
    "test metered-in-period",
  ]);
  assert.deepEqual(brokenRules(metered({ factors: { wood: metered().factors.wood } })), [
    "factors.electricity.EF_el parameter-given",
    "factors.electricity.TDL parameter-given",
  ]);
});
