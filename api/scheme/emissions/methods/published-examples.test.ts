import assert from "node:assert/strict";
import { test } from "node:test";
import { isAsPrinted, jsonOf, mecdMethod1 } from "../../../../test/support/published-examples.ts";
import { parseJsonBody } from "../../../platform/values/json.ts";
import { type Decimal, decimal } from "../decimal.ts";
import type { FuelRow } from "./definition.ts";
import { mecdUsefulEnergy } from "./mecd.ts";
import { methodInputs } from "./schemas.ts";
import { vm0050 } from "./vm0050.ts";

for (const { name, inputs, printed } of mecdMethod1) {
  test(`MECD by useful energy gives the published example of method 1 with a project of ${name}`, () => {
    const result = mecdUsefulEnergy.calculate(methodInputs.parse(parseJsonBody(Buffer.from(jsonOf(inputs)))));
    const stepOf = (symbol: string) =>
      result.steps.find((step) => step.symbol === symbol)?.result ?? assert.fail(symbol);
    const useful = stepOf("W_p");
    const { baseline, project, reductions } = result;
    const calculated: Record<string, Decimal> = { useful, factor: baseline.div(useful), baseline, project, reductions };
    for (const [figure, text] of Object.entries(printed)) {
      const value = calculated[figure] ?? assert.fail(figure);
      assert.ok(isAsPrinted(value, text), `${figure} ${value}, not ${text}`);
    }
  });
}

/** `amount` tCO2e of a fuel, by a factor of 1 t for each device. */
const tonnes = (amount: number): FuelRow => ({
  fuel: "lpg",
  values: {
    N: decimal(amount),
    n: decimal(1),
    BC: decimal(1),
    NCV: decimal("0.1"),
    EF_CO2: decimal(10),
    EF_nonCO2: decimal(0),
  },
});
const vm0050Parameters = (leakage: number) => ({
  // Efficient electric devices: equation 3 does not limit the baseline.
  eta_new: decimal("0.8"),
  eta_old: decimal("0.15"),
  LE_RB: decimal(leakage),
  PE_other: decimal(0),
});

test("VM0050 gives the published figures of its equations 8 and 11", () => {
  // CarbonGPT (github.com/Jokhanan/CarbonMarket-AI, 2026). Of attached_assets/replit_prompt_carbongpt_1776194075562.md, part 8:
  // 100 MWh · 0.5 · 1.1 = 55 tCO2e, and (1000 − 400) · 0.95 − 50 = 520 tCO2e.
  const electricity = { N: 1, n: 1, BC: 100, EF_el: "0.5", TDL: "0.10" };
  const values = Object.fromEntries(Object.entries(electricity).map(([symbol, value]) => [symbol, decimal(value)]));
  const calculate = (baseline: FuelRow[], project: FuelRow[], leakage = 0) =>
    vm0050.calculate({ parameters: vm0050Parameters(leakage), baseline, project });
  assert.equal(calculate([tonnes(1000)], [{ fuel: "electricity", values }]).project.toString(), "55");
  assert.equal(calculate([tonnes(1000)], [tonnes(400)], 50).reductions.toString(), "520");
  // Of carbongpt/guides/vcs_vm0050_v1_0.py, section 6.5. Its sections 6.1 and 6.3 print figures that do not follow from their inputs.
  assert.equal(calculate([tonnes(292_645)], [tonnes(53_120)]).reductions.toFixed(0), "227549");
});
