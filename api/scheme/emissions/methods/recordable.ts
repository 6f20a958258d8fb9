import { type Decimal, decimal } from "../decimal.ts";
import { methods } from "./registry.ts";

/** A figure of a method that a regulator may record. */
export type RecordedFigure = { symbol: string; unit: string; min: Decimal; max: Decimal };

/** Parameters that a campaign itself shows. */
const counted: readonly string[] = ["users", "coverage", "N_new"];
const householdSize: RecordedFigure = { symbol: "HN", unit: "person", min: decimal("0.5"), max: decimal(50) };

/** Find the figure of a method that a campaign would otherwise state; undefined if the method has none of that symbol. */
export function recordableFigure(method: string, symbol: string): RecordedFigure | undefined {
  const known = methods.get(method);
  if (known === undefined) return undefined;
  if (symbol === householdSize.symbol) return householdSize;
  return known.parameters.find((each) => each.symbol === symbol && !each.isFixed && !counted.includes(symbol));
}
