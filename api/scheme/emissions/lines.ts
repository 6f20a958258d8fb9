import type { Decimal } from "./decimal.ts";
import type { Quantity } from "./units.ts";

/** One step of a calculation: its name, its figure, and the origin of the figure or of its rule. */
export type Line = {
  name: string;
  value: Decimal;
  unit: string;
  source: string;
  /** Set where the figure is an adjustment: a factor, a cap or leakage. */
  isAdjustment?: true;
};

export function line(name: string, value: Decimal, unit: string, source: string): Line {
  return { name, value, unit, source };
}

/** Mark a line as an adjustment. */
export function adjustmentLine(adjusting: Line): Line {
  return { ...adjusting, isAdjustment: true };
}

export function quantityLine(name: string, { value, unit }: Quantity, source: string): Line {
  return { name, value, unit, source };
}
