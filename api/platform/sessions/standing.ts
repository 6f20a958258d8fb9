import type { Address } from "viem";

/** What accounts can act as, the capacity with the most rights first. */
export const capacities = [
  "admin",
  "regulator",
  "evaluator",
  "implementer",
  "supplier",
  "household",
  "visitor",
] as const;
export type Capacity = (typeof capacities)[number];

/** A capacity of an account. `participant`: number on chain of the supplier, implementer or household; 0 for roles and visitors. */
export type Standing = { actsAs: Capacity; participant: number };

/** Looks up the current standings of accounts. Sessions use it at each request. */
export interface Standings {
  /** List the account's current standings, the one with the most rights first; a visitor is always the last. */
  of(address: Address): Promise<Standing[]>;
  /** Check whether the account has the standing now. */
  isHeld(address: Address, standing: Standing): Promise<boolean>;
  /** Return the DID of a standing; null for roles and visitors, and for a household that is not in this database. */
  didOf(standing: Standing): Promise<string | null>;
}
