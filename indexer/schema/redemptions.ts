import { index, onchainTable } from "ponder";
import type { ConsentLevel } from "./consent-words.ts";

export type RedemptionStatus =
  | "pending_delivery"
  | "reversed"
  | "lapsed"
  | "under_review"
  | "settled"
  | "rejected"
  | "disputed"
  | "invalidated";

/** Redemptions: a part of a voucher spent on a product at a supplier. Amounts are micro-CARBON. */
export const redemption = onchainTable(
  "redemption",
  (t) => ({
    /** On-chain id, 96 bits: voucher (64) then the voucher's redemption number from 1 (32). */
    id: t.bigint().primaryKey(),
    /** Public id, `REDM-…`. */
    publicId: t.text().notNull(),
    /** Chain order, see `activity.sequence`; lists are paged by it. */
    sequence: t.int8({ mode: "bigint" }).notNull(),
    /** On-chain id of the voucher. */
    voucherId: t.bigint("voucher").notNull(),
    /** Index of the voucher's certificate. */
    certificateIndex: t.integer("certificate").notNull(),
    /** Index of the household. */
    householdIndex: t.integer("household").notNull(),
    /** Index of the supplier. */
    supplierIndex: t.integer("supplier").notNull(),
    /** Index of the product. */
    productIndex: t.integer("product").notNull(),
    /** Amount spent, micro-CARBON. */
    amount: t.bigint().notNull(),
    /** The voucher's balance right after, micro-CARBON. */
    remainingBalance: t.bigint().notNull(),
    /** When an unclaimed redemption lapses, seconds since 1970. */
    deadline: t.bigint().notNull(),
    /** How the household agreed to it: `none`, `pin`, `code` or `signature`. */
    consent: t.text().$type<ConsentLevel>().notNull(),
    /** Whether the chain has checked that: `code` or `signature`. */
    authorized: t.boolean().notNull(),
    /** Whether an evaluator flagged it, so that its claim is held. */
    flagged: t.boolean().notNull(),
    /** `pending_delivery`, `reversed`, `lapsed`, `under_review`, `settled`, `rejected`, `disputed` or `invalidated`. */
    status: t.text().$type<RedemptionStatus>().notNull(),
    /** Where the amount went when it was given back: `voucher`, or `certificate` of a cancelled one; else null. */
    refundedTo: t.text().$type<"voucher" | "certificate">(),
    /** Block of the redemption. */
    blockNumber: t.bigint().notNull(),
    /** Time of the redemption's block, seconds since 1970. */
    redeemedAt: t.bigint().notNull(),
    /** Transaction of the redemption. */
    transactionHash: t.hex().notNull(),
    /** Transaction that gave the amount back; else null. */
    refundTransactionHash: t.hex(),
  }),
  (table) => ({
    byPublicId: index().on(table.publicId),
    bySequence: index().on(table.sequence),
    byVoucher: index().on(table.voucherId, table.sequence),
    bySupplier: index().on(table.supplierIndex, table.sequence),
    byStatus: index().on(table.status, table.sequence),
    byTransaction: index().on(table.transactionHash),
  }),
);
