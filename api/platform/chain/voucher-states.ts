import type { Hex } from "viem";

/** States of a voucher in the order of `IVouchers.Status`. */
export const ledgerStates = ["none", "active", "suspended", "cancelled", "reissued", "swept", "revoked"] as const;
export type LedgerState = (typeof ledgerStates)[number];

/** `IVouchers.Opening`: what the contract needs at the first use of a voucher that was issued in a batch. */
export type Opening = { voucher: bigint; household: number; value: bigint; proof: Hex[] };
