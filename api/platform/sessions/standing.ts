import type { Address } from "viem";

/** What an account may act as, the one with the most rights first. */
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

/** `participant`: the number on chain of the supplier, implementer or household; 0 for roles and visitors. */
export type Standing = { actsAs: Capacity; participant: number };

/** Tells what accounts are now. Sessions ask it at each request. */
export interface Standings {
  /** All that the account is now, the one with the most rights first; at the end always a visitor. */
  of(address: Address): Promise<Standing[]>;
  /** Whether the account is that now. */
  isHeld(address: Address, standing: Standing): Promise<boolean>;
  /** The DID that a standing speaks for; null for roles and visitors, and for a household of another database. */
  didOf(standing: Standing): Promise<string | null>;
}
