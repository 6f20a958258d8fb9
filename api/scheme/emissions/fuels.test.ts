import assert from "node:assert/strict";
import { test } from "node:test";
import { decimal } from "./decimal.ts";
import { fuelIds, fuels, nonCo2Factor, wetBasis, wetNetCalorificValue } from "./fuels.ts";

test("has the factors of wood and charcoal that the requirements name", () => {
  const factors = (fuel: "wood" | "charcoal") =>
    [fuels[fuel].ncv, fuels[fuel].efCo2, nonCo2Factor(fuel, "AR5")].map((each) => each?.value.toString());
  assert.deepEqual(factors("wood"), ["0.0156", "112", "9.46"]);
  assert.deepEqual(factors("charcoal"), ["0.0295", "112", "5.865"]);
});

test("derives the other gases of a fuel from each set of warming potentials", () => {
  const factors = (fuel: "wood" | "charcoal" | "lpg") =>
    (["AR4", "AR5", "AR6"] as const).map((gwp) => nonCo2Factor(fuel, gwp)?.value.toString());
  // 0.3 t CH4 and 0.004 t N2O per TJ of wood; Gold Standard TPDDTEC v4.0 prints 8.692 (AR4) and 9.46 (AR5).
  assert.deepEqual(factors("wood"), ["8.692", "9.46", "9.192"]);
  // 0.2 t CH4 and 0.001 t N2O per TJ of charcoal; TPDDTEC v4.0 prints 5.298 and 5.865 for burning alone.
  assert.deepEqual(factors("charcoal"), ["5.298", "5.865", "5.673"]);
  // The methane of a fossil fuel has a larger potential in AR6: 0.005 · 29.8 + 0.0001 · 273.
  assert.deepEqual(factors("lpg"), ["0.1548", "0.1665", "0.1763"]);
  assert.equal(nonCo2Factor("electricity", "AR5"), null);
});

test("names the source of every factor", () => {
  for (const fuel of fuelIds) {
    const { ncv, efCo2, gases } = fuels[fuel];
    for (const source of [ncv.source, efCo2?.source ?? "", gases?.source ?? ""]) {
      assert.ok(source.length > 10 || fuel === "electricity", fuel);
    }
  }
});

test("corrects the net calorific value for water, exactly", () => {
  // 18.4 MJ/kg dry at 20 % water: 18.4 · 0.8 − 2.44 · 0.2 = 14.232 MJ/kg
  assert.equal(wetNetCalorificValue(decimal("0.0184"), decimal("0.2")).toString(), "0.014232");
  assert.equal(wetNetCalorificValue(decimal("0.0184"), decimal(0)).toString(), "0.0184");
  assert.equal(wetBasis(decimal("0.25")).toString(), "0.2");
  for (const impossible of ["-0.01", "1"]) {
    assert.throws(() => wetNetCalorificValue(decimal("0.0184"), decimal(impossible)), RangeError);
  }
});
