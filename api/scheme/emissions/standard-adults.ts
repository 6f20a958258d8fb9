import { type Decimal, decimal } from "./decimal.ts";

/** Who lives in a household, by count: children 0–14, women over 14, men 15–59, men over 59 (`elderly`). */
export type HouseholdMembers = { children: number; women: number; men: number; elderly: number };

/**
 * Tenths of a standard adult: child 0.5, woman 0.8, man 1, man over 59 0.8. Source: FAO Guidelines for Woodfuel Surveys (Openshaw),
 * as the KPT protocol v3.0 prints them.
 */
export const standardAdultTenthsOf = { children: 5, women: 8, men: 10, elderly: 8 } as const;

/** Standard adult equivalents of a household, in tenths: a whole number. */
export function standardAdultTenths({ children, women, men, elderly }: HouseholdMembers): number {
  const tenths = standardAdultTenthsOf;
  return tenths.children * children + tenths.women * women + tenths.men * men + tenths.elderly * elderly;
}

/** Standard adult equivalents of a household. */
export function standardAdults(members: HouseholdMembers): Decimal {
  return decimal(standardAdultTenths(members)).div(10);
}

/** People of a household. */
export function peopleOf({ children, women, men, elderly }: HouseholdMembers): number {
  return children + women + men + elderly;
}
