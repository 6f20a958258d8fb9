import type { Schemas } from "../../../wire/src/routes.ts";

export type ItmoPurpose = NonNullable<Schemas["NewAuthorizationReduction"]["purpose"]>;

/** What ITMOs are authorized for, as the agreed electronic format writes it in every language; in the contract's order, from 1. */
export const itmoPurposes: readonly ItmoPurpose[] = [
  "NDC",
  "OIMP",
  "IMP",
  "OP",
  "NDC and OIMP",
  "NDC and IMP",
  "NDC and OP",
];
