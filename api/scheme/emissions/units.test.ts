import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../../platform/errors.ts";
import { decimal } from "./decimal.ts";
import {
  add,
  convert,
  greater,
  lesser,
  type Quantity,
  quantity,
  rate,
  subtract,
  tonnesPerKilogram,
  total,
  type Unit,
} from "./units.ts";

const all: Unit[] = ["kg", "t", "TJ", "tCO2e"];
/** As a caller without types would pass it. */
const untyped = (unit: Unit): Quantity<"t"> => quantity(decimal(2), unit) as Quantity<"t">;

const refusal = (error: unknown) => error instanceof AppError && error.details[0]?.rule === "units-match";

test("never mixes two units, in any operation and order", () => {
  for (const a of all) {
    for (const b of all.filter((unit) => unit !== a)) {
      for (const operation of [add, subtract, lesser, greater]) {
        assert.throws(() => operation(untyped(a), untyped(b)), refusal, `${operation.name} ${a} ${b}`);
      }
      assert.throws(() => total(a as "t", [untyped(b)]), refusal);
      assert.throws(() => convert(untyped(b), rate(decimal(1), a as "t", "TJ")), refusal);
    }
    assert.equal(add(untyped(a), untyped(a)).unit, a);
  }
});

test("refuses the name of a unit that it does not know", () => {
  for (const unit of ["T", "Kg", "tonne", "GJ", "tCO2", ""]) {
    assert.throws(() => quantity(decimal(1), unit as Unit), refusal, unit);
    assert.throws(() => rate(decimal(1), unit as Unit, "TJ"), refusal, unit);
    assert.throws(() => rate(decimal(1), "t", unit as Unit), refusal, unit);
  }
});

test("takes kg to t, t to TJ and TJ to tCO2e, each by its own rate", () => {
  const fuel = convert(quantity(decimal(1500), "kg"), tonnesPerKilogram);
  const energy = convert(fuel, rate(decimal("0.0156"), "t", "TJ"));
  const emissions = convert(energy, rate(decimal(100), "TJ", "tCO2e"));
  assert.deepEqual(
    [fuel, energy, emissions].map(({ value, unit }) => `${value} ${unit}`),
    ["1.5 t", "0.0234 TJ", "2.34 tCO2e"],
  );
});
