import type { Decimal } from "./decimal.ts";
import type { Quantity } from "./units.ts";

/** One step of a calculation: what it is, its figure, and where the figure or its rule comes from. */
export type Line = { name: string; value: Decimal; unit: string; source: string };

export function line(name: string, value: Decimal, unit: string, source: string): Line {
  return { name, value, unit, source };
}

export function quantityLine(name: string, { value, unit }: Quantity, source: string): Line {
  return { name, value, unit, source };
}
