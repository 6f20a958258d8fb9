import { type Decimal, decimal, sumOf } from "./decimal.ts";

/** Who lives in a household, by count: children 0–14, women over 14, men 15–59, men over 59 (`elderly`). */
export type HouseholdMembers = { children: number; women: number; men: number; elderly: number };

/** Share of a standard adult. Source: FAO Guidelines for Woodfuel Surveys (Openshaw), as the KPT protocol v3.0 prints them. */
export const standardAdultShares = {
  children: decimal("0.5"),
  women: decimal("0.8"),
  men: decimal(1),
  elderly: decimal("0.8"),
} as const;

/** Standard adult equivalents of a household. */
export function standardAdults(members: HouseholdMembers): Decimal {
  return sumOf([
    standardAdultShares.children.times(members.children),
    standardAdultShares.women.times(members.women),
    standardAdultShares.men.times(members.men),
    standardAdultShares.elderly.times(members.elderly),
  ]);
}
