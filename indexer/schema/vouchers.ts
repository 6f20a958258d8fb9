import { index, onchainTable } from "ponder";

/**
 * `exhausted`: nothing is left. `expired`: its last day is over, by the time of the newest block.
 * `revoked`: its certificate is revoked, and its rest was burned. A halted certificate stops its vouchers too.
 */
export type VoucherStatus = "active" | "exhausted" | "expired" | "suspended" | "cancelled" | "swept" | "revoked";

/** Batches: one for each issued chunk of an allocation. A voucher that was issued alone belongs to batch 0, which has no row. */
export const batch = onchainTable(
  "batch",
  (t) => ({
    /** Index on chain. A voucher's id is this index (32 bits) then its position (32 bits). */
    index: t.integer().primaryKey(),
    /** Index of the certificate. */
    certificateIndex: t.integer("certificate").notNull(),
    /** Chunk of the certificate's allocation; voucher `i` of the batch is the chunk's leaf `i`. */
    chunk: t.integer().notNull(),
    /** Number of vouchers. */
    count: t.integer().notNull(),
    /** Sum of the vouchers' values, micro-CARBON. */
    total: t.bigint().notNull(),
    /** First day of the vouchers, days since 1970-01-01 UTC. */
    startDay: t.integer().notNull(),
    /** Last day of the vouchers (inclusive), days since 1970-01-01 UTC. */
    expiryDay: t.integer().notNull(),
    /** Public batch id that the issuer gave; not unique. */
    batchId: t.text().notNull(),
    /** Block of the issue. */
    blockNumber: t.bigint().notNull(),
    /** Time of the block, seconds since 1970. */
    issuedAt: t.bigint().notNull(),
    /** Transaction of the issue. */
    transactionHash: t.hex().notNull(),
  }),
  (table) => ({ byCertificate: index().on(table.certificateIndex, table.chunk), byBatchId: index().on(table.batchId) }),
);

/** Vouchers, those of a batch included from the moment of issue. Amounts are micro-CARBON. */
export const voucher = onchainTable(
  "voucher",
  (t) => ({
    /** On-chain id, 64 bits: batch (32) then position (32). */
    id: t.bigint().primaryKey(),
    /** Public id, `VCHR-…`. */
    publicId: t.text().notNull(),
    /** Index of the batch; 0 for a voucher that was issued alone. */
    batchIndex: t.integer("batch").notNull(),
    /** Position in the batch, from 0; in batch 0 a count from 1. */
    position: t.integer().notNull(),
    /** Public batch id that the issuer gave. */
    batchId: t.text().notNull(),
    /** Index of the certificate. */
    certificateIndex: t.integer("certificate").notNull(),
    /** Index of the household. */
    householdIndex: t.integer("household").notNull(),
    /** Value at issue, micro-CARBON. */
    value: t.bigint().notNull(),
    /** Balance, micro-CARBON; of a cancelled voucher the rest that can be reissued. */
    remaining: t.bigint().notNull(),
    /** First day, days since 1970-01-01 UTC. */
    startDay: t.integer().notNull(),
    /** Last day now (inclusive), days since 1970-01-01 UTC: later than at issue where lost time was given back. */
    expiryDay: t.integer().notNull(),
    /** `active`, `exhausted`, `expired`, `suspended`, `cancelled`, `swept` or `revoked`; see `VoucherStatus`. */
    status: t.text().$type<VoucherStatus>().notNull(),
    /** Whether the voucher has its own slot in the ledger (first use opens it). */
    opened: t.boolean().notNull(),
    /** Number of redemptions so far, those given back included. */
    redemptionCount: t.integer("redemptions").notNull(),
    /** The cancelled voucher that this one replaces. */
    replacesId: t.bigint("replaces"),
    /** The voucher that replaces this cancelled one. */
    replacedById: t.bigint("replaced_by"),
    /** Chain order of the issue, see `activity.sequence`; the vouchers of a batch share it. */
    sequence: t.int8({ mode: "bigint" }).notNull(),
    /** Block of the issue. */
    blockNumber: t.bigint().notNull(),
    /** Time of the block, seconds since 1970. */
    issuedAt: t.bigint().notNull(),
    /** Transaction of the issue. */
    transactionHash: t.hex().notNull(),
  }),
  (table) => ({
    byPublicId: index().on(table.publicId),
    byHousehold: index().on(table.householdIndex, table.id),
    byBatchId: index().on(table.batchId, table.id),
    byCertificate: index().on(table.certificateIndex, table.id),
    byStatus: index().on(table.status, table.id),
  }),
);
