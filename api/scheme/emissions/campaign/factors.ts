import type { Decimal } from "../decimal.ts";
import { wetNetCalorificValue } from "../fuels.ts";
import type { FuelFactors } from "./input.ts";

/** Factors of a fuel by symbol. */
export function factorsOf(given: FuelFactors | undefined): Record<string, Decimal> {
  if (given === undefined) return {};
  if (given.wet === undefined) return { ...given.values };
  return { ...given.values, NCV: wetNetCalorificValue(given.wet.dryNcv, given.wet.moisture) };
}
