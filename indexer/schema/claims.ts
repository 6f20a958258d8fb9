import { index, onchainTable } from "ponder";

export type ClaimStatus = "filed" | "approved" | "flagged" | "rejected" | "disputed" | "invalidated";

/** Delivery claims: a verified credential that settles a redemption. Amounts are micro-CARBON. */
export const claim = onchainTable(
  "claim",
  (t) => ({
    /** On-chain id: the redemption's (96 bits). */
    id: t.bigint().primaryKey(),
    /** Public id, `CLM-…`. */
    publicId: t.text().notNull(),
    /** Chain order of the filing, see `activity.sequence`; lists are paged by it. */
    sequence: t.int8({ mode: "bigint" }).notNull(),
    /** On-chain id of the voucher. */
    voucherId: t.bigint("voucher").notNull(),
    /** Index of the certificate. */
    certificateIndex: t.integer("certificate").notNull(),
    /** Index of the supplier. */
    supplierIndex: t.integer("supplier").notNull(),
    /** SHA-256 of the compact credential. */
    credentialHash: t.hex().notNull(),
    /** `approved` (paid), `flagged` (held for review), `rejected`, `disputed` or `invalidated`; `filed` only in between. */
    status: t.text().$type<ClaimStatus>().notNull(),
    /** Whether the plan's review share drew it; null unless it was held. */
    drawn: t.boolean(),
    /** What the redemption is worth, micro-CARBON. */
    carbonAmount: t.bigint().notNull(),
    /** Block of the filing. */
    blockNumber: t.bigint().notNull(),
    /** Time of the filing's block, seconds since 1970. */
    filedAt: t.bigint().notNull(),
    /** Transaction of the filing. */
    transactionHash: t.hex().notNull(),
    /** Reason of the rejection; null unless rejected. */
    rejectionReason: t.text(),
    /** The dispute that is open, see `dispute.sequence`; else null. */
    openDispute: t.int8({ mode: "bigint" }),
  }),
  (table) => ({
    byPublicId: index().on(table.publicId),
    bySequence: index().on(table.sequence),
    byCredential: index().on(table.credentialHash),
    bySupplier: index().on(table.supplierIndex, table.sequence),
    byStatus: index().on(table.status, table.sequence),
    byVoucher: index().on(table.voucherId, table.sequence),
  }),
);

/** Payments for claims. */
export const payment = onchainTable(
  "payment",
  (t) => ({
    /** On-chain id of the claim. */
    claimId: t.bigint("claim").primaryKey(),
    /** Chain order, see `activity.sequence`. */
    sequence: t.int8({ mode: "bigint" }).notNull(),
    /** Index of the supplier. */
    supplierIndex: t.integer("supplier").notNull(),
    /** Account that was paid. */
    account: t.hex().notNull(),
    /** What the claim was worth, micro-CARBON. */
    carbonAmount: t.bigint().notNull(),
    /** Part that went to the pool's reserve against the supplier's debt, micro-CARBON. */
    setOff: t.bigint().notNull(),
    /** What was paid in: `stablecoin`, or `CARBON` when the pool did not pay. */
    asset: t.text().$type<"stablecoin" | "CARBON">().notNull(),
    /** What was paid: stablecoin base units (6 decimals) or micro-CARBON. */
    amount: t.bigint().notNull(),
    /** Selector of the pool's or the token's refusal when CARBON was paid; else null. */
    fallbackReason: t.hex(),
    /** Block of the payment. */
    blockNumber: t.bigint().notNull(),
    /** Time of the payment's block, seconds since 1970. */
    paidAt: t.bigint().notNull(),
    /** Transaction of the payment. */
    transactionHash: t.hex().notNull(),
  }),
  (table) => ({ bySupplier: index().on(table.supplierIndex, table.sequence) }),
);

/** Disputes of paid claims. */
export const dispute = onchainTable(
  "dispute",
  (t) => ({
    /** Chain order of the opening, see `activity.sequence`. */
    sequence: t.int8({ mode: "bigint" }).primaryKey(),
    /** On-chain id of the claim. */
    claimId: t.bigint("claim").notNull(),
    /** Account that disputes. */
    challenger: t.hex().notNull(),
    /** What it staked, micro-CARBON; 0 for an evaluator. */
    stake: t.bigint().notNull(),
    /** Reason given. */
    reason: t.text().notNull(),
    /** Time of the opening's block, seconds since 1970. */
    openedAt: t.bigint().notNull(),
    /** Transaction of the opening. */
    transactionHash: t.hex().notNull(),
    /** Whether the dispute was upheld (claim invalidated); null while open. */
    upheld: t.boolean(),
    /** The adjudicator's reason; null while open. */
    resolution: t.text(),
    /** Time of the resolution's block, seconds since 1970; null while open. */
    resolvedAt: t.bigint(),
    /** Transaction of the resolution; null while open. */
    resolutionTransactionHash: t.hex(),
  }),
  (table) => ({ byClaim: index().on(table.claimId, table.sequence) }),
);
