import { index, onchainTable, primaryKey } from "ponder";

/**
 * Every event of the contracts, once, in chain order; rows are only ever added. History, traces and event streams read
 * it. A column that names a noun is null where the event does not concern one.
 */
export const activity = onchainTable(
  "activity",
  (t) => ({
    /** Position in chain order: block number · 2^24 + log index. Strictly ascending, so a reader can resume after it. */
    sequence: t.int8({ mode: "bigint" }).notNull(),
    /** Name of the Solidity event, e.g. `VoucherRedeemed`. */
    event: t.text().notNull(),
    /** Index of the certificate that the event itself names. */
    certificateIndex: t.integer("certificate"),
    /** Index of the batch; for an event of a whole batch `voucher` is null. */
    batchIndex: t.integer("batch"),
    /** On-chain id of the voucher (64 bits), also for events of one of its redemptions. */
    voucherId: t.bigint("voucher"),
    /** On-chain id of the redemption (96 bits); its claim has the same. */
    redemptionId: t.bigint("redemption"),
    /** Index of the household. */
    householdIndex: t.integer("household"),
    /** Index of the supplier. */
    supplierIndex: t.integer("supplier"),
    /** Index of the implementer. */
    implementerIndex: t.integer("implementer"),
    /** Index of the product. */
    productIndex: t.integer("product"),
    /** Index of the monitoring plan. */
    planIndex: t.integer("plan"),
    /** The event's arguments as JSON: integers wider than 32 bits are decimal strings, amounts micro-CARBON. */
    data: t.json().$type<Record<string, unknown>>().notNull(),
    /** Number of the block. */
    blockNumber: t.bigint().notNull(),
    /** The block's timestamp, seconds since 1970. */
    timestamp: t.bigint().notNull(),
    /** Hash of the transaction. */
    transactionHash: t.hex().notNull(),
    /** Position of the event in its block. */
    logIndex: t.integer().notNull(),
  }),
  (table) => ({
    // Not `sequence`: of these two Ponder can tell beforehand which rows a block's events will touch.
    pk: primaryKey({ columns: [table.blockNumber, table.logIndex] }),
    bySequence: index().on(table.sequence),
    byVoucher: index().on(table.voucherId, table.sequence),
    byRedemption: index().on(table.redemptionId, table.sequence),
    byCertificate: index().on(table.certificateIndex, table.sequence),
    byBatch: index().on(table.batchIndex, table.sequence),
  }),
);
