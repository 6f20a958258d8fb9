import type { RecordKind } from "./act.ts";
import { certificates } from "./certificates.ts";
import { claims, kptClaims } from "./claims.ts";
import { conversions } from "./conversions.ts";
import { implementers, suppliers } from "./participants.ts";
import { redemptions } from "./redemptions.ts";
import { vouchers } from "./vouchers.ts";

/** Kinds of records that someone decides about, by the names that traces give them. */
export const kinds = {
  claim: claims,
  "kpt-claim": kptClaims,
  redemption: redemptions,
  conversion: conversions,
  voucher: vouchers,
  certificate: certificates,
  supplier: suppliers,
  implementer: implementers,
};
export type KindName = keyof typeof kinds;

/** The decisions of a kind, for code that treats all kinds alike. */
export const kindOf = (name: KindName): RecordKind<unknown> => kinds[name] as unknown as RecordKind<unknown>;
