import type { Hex } from "viem";

/** A voucher's states in the order of IVouchers.Status. */
export const ledgerStates = ["none", "active", "suspended", "cancelled", "reissued", "swept", "revoked"] as const;
export type LedgerState = (typeof ledgerStates)[number];

/** What the contract needs before the first use of a voucher that was issued in a batch: IVouchers.Opening. */
export type Opening = { voucher: bigint; household: number; value: bigint; proof: Hex[] };
