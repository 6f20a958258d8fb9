import { AppError } from "../../platform/errors.ts";
import { type Decimal, decimal, zero } from "./decimal.ts";

/** Unit of a quantity. The period of every quantity here is a year. */
export type Unit = "kg" | "t" | "TJ" | "tCO2e";

const units: readonly Unit[] = ["kg", "t", "TJ", "tCO2e"];

/** An amount with its unit, in its type and in its value. */
export type Quantity<U extends Unit = Unit> = { readonly value: Decimal; readonly unit: U };

/** Units `to` per unit `from`: an NCV converts t to TJ, an emission factor TJ to tCO2e. */
export type Rate<From extends Unit, To extends Unit> = {
  readonly value: Decimal;
  readonly from: From;
  readonly to: To;
};

/** @throws AppError INVALID_INPUT when the unit is none that is known here */
export function quantity<U extends Unit>(value: Decimal, unit: U): Quantity<U> {
  return { value, unit: known(unit) };
}

/** @throws AppError INVALID_INPUT when a unit is none that is known here */
export function rate<From extends Unit, To extends Unit>(value: Decimal, from: From, to: To): Rate<From, To> {
  return { value, from: known(from), to: known(to) };
}

/** The only conversion from kg to t. */
export const tonnesPerKilogram: Rate<"kg", "t"> = rate(decimal("0.001"), "kg", "t");

/** @throws AppError INVALID_INPUT when the units differ */
export function add<U extends Unit>(a: Quantity<U>, b: Quantity<NoInfer<U>>): Quantity<U> {
  return { value: a.value.plus(same(a, b).value), unit: a.unit };
}

/** @throws AppError INVALID_INPUT when the units differ */
export function subtract<U extends Unit>(a: Quantity<U>, b: Quantity<NoInfer<U>>): Quantity<U> {
  return { value: a.value.minus(same(a, b).value), unit: a.unit };
}

/** The lesser of two. @throws AppError INVALID_INPUT when the units differ */
export function lesser<U extends Unit>(a: Quantity<U>, b: Quantity<NoInfer<U>>): Quantity<U> {
  return same(a, b).value.lt(a.value) ? b : a;
}

/** The greater of two. @throws AppError INVALID_INPUT when the units differ */
export function greater<U extends Unit>(a: Quantity<U>, b: Quantity<NoInfer<U>>): Quantity<U> {
  return same(a, b).value.gt(a.value) ? b : a;
}

/** A quantity times a plain number. */
export function scale<U extends Unit>(a: Quantity<U>, factor: Decimal): Quantity<U> {
  return { value: a.value.times(factor), unit: a.unit };
}

/** @throws AppError INVALID_INPUT when the rate starts from another unit */
export function convert<From extends Unit, To extends Unit>(
  a: Quantity<NoInfer<From>>,
  by: Rate<From, To>,
): Quantity<To> {
  if (a.unit !== by.from) throw mixed(`A rate from ${by.from} to ${by.to} cannot take ${a.unit}.`);
  return { value: a.value.times(by.value), unit: by.to };
}

/** Add quantities in `unit`; 0 for an empty list. @throws AppError INVALID_INPUT if one has another unit */
export function total<U extends Unit>(unit: U, quantities: readonly Quantity<NoInfer<U>>[]): Quantity<U> {
  return quantities.reduce<Quantity<U>>((sum, each) => add(sum, each), quantity(zero, unit));
}

function same<U extends Unit>(a: Quantity<U>, b: Quantity<U>): Quantity<U> {
  if (a.unit !== b.unit) throw mixed(`${a.unit} and ${b.unit} do not mix.`);
  return b;
}

function known<U extends Unit>(unit: U): U {
  if (!units.includes(unit)) throw mixed(`${unit} is not a unit here; these are: ${units.join(", ")}.`);
  return unit;
}

function mixed(message: string): AppError {
  return new AppError("INVALID_INPUT", message, { details: [{ rule: "units-match", message }] });
}
