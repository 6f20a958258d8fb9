import { index, onchainTable, primaryKey } from "ponder";

/**
 * `mint`: into the voucher ledger's escrow. `return`: burned out of escrow: to be issued again, or for ever where the
 * certificate is revoked. `release`: out of escrow,
 * for a redemption or an expired voucher; it says whose. `sale`, `purchase`: to and from the pool. `deposit`: into a
 * conversion. `give-back`: out of a reverted one. `conversion`: burned for ITMOs. `burn`: any other burning. `transfer`: the rest.
 */
export type CarbonMoveKind =
  | "mint"
  | "return"
  | "release"
  | "sale"
  | "purchase"
  | "deposit"
  | "give-back"
  | "conversion"
  | "burn"
  | "transfer";

/**
 * What an event announces. `revocation`: vouchers of a revoked certificate are burned together. `burned-claim`: the pool
 * pays a claim whose CARBON was burned.
 */
export type CarbonNoticeKind =
  | "none"
  | "release"
  | "return"
  | "revocation"
  | "burned-claim"
  | "purchase"
  | "deposit"
  | "give-back"
  | "conversion";

/** What an account has received and sent of CARBON in all, micro-CARBON; its balance is the difference. */
export const carbonAccount = onchainTable("carbon_account", (t) => ({
  /** Address in lower case; CARBON that a conversion holds in escrow has the conversion's public id instead. */
  account: t.text().primaryKey(),
  /** Received so far: the position of the account's next CARBON in what it received. */
  received: t.bigint().notNull(),
  /** Sent so far: first in, first out, what it received up to here is gone. */
  sent: t.bigint().notNull(),
}));

/**
 * Every movement of CARBON (those of nothing are left out). First in, first out: the n-th micro-CARBON that an account sends is
 * the n-th that it received. So a row gives its position in what either side sent and received, and what is behind any CARBON
 * follows from the rows that overlap, back to a release.
 */
export const carbonMove = onchainTable(
  "carbon_move",
  (t) => ({
    /** Chain order, see `activity.sequence`. */
    sequence: t.int8({ mode: "bigint" }).primaryKey(),
    /** See `CarbonMoveKind`. */
    kind: t.text().$type<CarbonMoveKind>().notNull(),
    /** Sender, see `carbon_account.account`; the zero address for a mint. */
    fromAccount: t.text().notNull(),
    /** Receiver; the zero address for what is burned. */
    toAccount: t.text().notNull(),
    /** Micro-CARBON. */
    amount: t.bigint().notNull(),
    /** What the sender had sent before, micro-CARBON. */
    fromOffset: t.bigint().notNull(),
    /** What the receiver had received before, micro-CARBON. */
    toOffset: t.bigint().notNull(),
    /** Index of the certificate, of a release or return; else null. */
    certificateIndex: t.integer("certificate"),
    /** For a release: what had been released of the certificate before, micro-CARBON. Otherwise null. */
    certificateOffset: t.bigint(),
    /** On-chain id of the redemption that a release or return ended; null for an expired or cancelled voucher's rest. */
    redemptionId: t.bigint("redemption"),
    /** On-chain id of the voucher, of a release or return; null where several were burned together, and else. */
    voucherId: t.bigint("voucher"),
    /** Index of the conversion, of a deposit, give-back or burning for it; else null. */
    conversionIndex: t.integer("conversion"),
    /** `swap.sequence` of the pool's swap that it belongs to; else null. */
    swapSequence: t.int8("swap", { mode: "bigint" }),
    /** Number of the block. */
    blockNumber: t.bigint().notNull(),
    /** The block's timestamp, seconds since 1970. */
    movedAt: t.bigint().notNull(),
    /** Hash of the transaction. */
    transactionHash: t.hex().notNull(),
  }),
  (table) => ({
    byReceiver: index().on(table.toAccount, table.toOffset),
    bySender: index().on(table.fromAccount, table.fromOffset),
    byKind: index().on(table.kind, table.sequence),
    byRedemption: index().on(table.redemptionId, table.sequence),
    byVoucher: index().on(table.voucherId, table.sequence),
    byCertificate: index().on(table.certificateIndex, table.sequence),
    byLot: index().on(table.certificateIndex, table.certificateOffset),
    byConversion: index().on(table.conversionIndex, table.sequence),
    bySwap: index().on(table.swapSequence),
    byTransaction: index().on(table.transactionHash),
  }),
);

/**
 * What the latest event said about the CARBON that moves next: a contract tells first and moves then, in the same
 * transaction. One row, of use to the indexer alone.
 */
export const carbonNotice = onchainTable("carbon_notice", (t) => ({
  /** Always `carbon`. */
  id: t.text().primaryKey(),
  /** Transaction of the event: nothing in another is meant. */
  transactionHash: t.hex().notNull(),
  /** What is about to happen; `none` when it has happened. */
  kind: t.text().$type<CarbonNoticeKind>().notNull(),
  /** On-chain id of the redemption, or null. */
  redemptionId: t.bigint("redemption"),
  /** On-chain id of the voucher, or null. */
  voucherId: t.bigint("voucher"),
  /** Index of the conversion, or null. */
  conversionIndex: t.integer("conversion"),
  /** `swap.sequence`, or null. */
  swapSequence: t.int8("swap", { mode: "bigint" }),
}));

/**
 * What a conversion took of certificates' CARBON, in the order in which the chain took it. The parts of a conversion add up to
 * its amount. Those of a reverted conversion went back.
 */
export const conversionLot = onchainTable(
  "conversion_lot",
  (t) => ({
    /** Index of the conversion. */
    conversionIndex: t.integer("conversion").notNull(),
    /** Place among the conversion's lots, from 0. */
    position: t.integer().notNull(),
    /** Index of the certificate. */
    certificateIndex: t.integer("certificate").notNull(),
    /** Where the lot begins in the conversion's CARBON, micro-CARBON. */
    offset: t.bigint("start_offset").notNull(),
    /** Micro-CARBON. */
    amount: t.bigint().notNull(),
    /** What of the certificate had become ITMOs before, micro-CARBON; null until the conversion is finalised. */
    certificateOffset: t.bigint(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.conversionIndex, table.position] }),
    byCertificate: index().on(table.certificateIndex, table.conversionIndex),
  }),
);

/**
 * The payments of claims and the swept rests behind the ITMOs of a finalised conversion, in its order: the first serial is the
 * first CARBON of its first lot, 1000 CARBON each. Of a certificate, what was released first becomes ITMOs first. The parts of a
 * conversion add up to its amount.
 */
export const itmoLot = onchainTable(
  "itmo_lot",
  (t) => ({
    /** Index of the conversion. */
    conversionIndex: t.integer("conversion").notNull(),
    /** Where the lot begins in the conversion's CARBON, micro-CARBON. */
    offset: t.bigint("start_offset").notNull(),
    /** Micro-CARBON. */
    amount: t.bigint().notNull(),
    /** The ITMO serial that the lot's first CARBON became part of. */
    firstSerial: t.bigint().notNull(),
    /** The ITMO serial that the lot's last CARBON became part of. */
    lastSerial: t.bigint().notNull(),
    /** Index of the certificate. */
    certificateIndex: t.integer("certificate").notNull(),
    /** On-chain id of the redemption; null for an expired voucher's rest. */
    redemptionId: t.bigint("redemption"),
    /** On-chain id of the voucher. */
    voucherId: t.bigint("voucher"),
    /** `carbon_move.sequence` of the release out of escrow. */
    releaseSequence: t.int8("release", { mode: "bigint" }).notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.conversionIndex, table.offset] }),
    bySerial: index().on(table.conversionIndex, table.lastSerial),
    byCertificate: index().on(table.certificateIndex, table.conversionIndex),
    byRedemption: index().on(table.redemptionId),
    byVoucher: index().on(table.voucherId),
  }),
);
