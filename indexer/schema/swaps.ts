import { index, onchainTable } from "ponder";

/** Swaps at the pool. CARBON amounts are micro-CARBON, stablecoin amounts base units (6 decimals). */
export const swap = onchainTable(
  "swap",
  (t) => ({
    /** Chain order, see `activity.sequence`; also the id on chain, see `swapIdOf`. */
    sequence: t.int8({ mode: "bigint" }).primaryKey(),
    /** Public id, `SWAP-…`. */
    publicId: t.text().notNull(),
    /** `sell`: a supplier gave CARBON for stablecoin. `buy`: an implementer bought CARBON. */
    side: t.text().$type<"sell" | "buy">().notNull(),
    /** Index of the supplier of a sale; null for a purchase. */
    supplierIndex: t.integer("supplier"),
    /** Index of the implementer of a purchase; null for a sale. */
    implementerIndex: t.integer("implementer"),
    /** Account that was paid, or that bought. */
    account: t.hex().notNull(),
    /** Micro-CARBON. */
    carbonAmount: t.bigint().notNull(),
    /** Stablecoin base units that were paid. */
    stablecoinAmount: t.bigint().notNull(),
    /** Stablecoin base units for one CARBON. */
    price: t.bigint().notNull(),
    /** The fee in force, ten-thousandths of the stablecoin amount. */
    fee: t.integer().notNull(),
    /** What the swap cost in addition to the price, in stablecoin base units; rounding included. */
    feeAmount: t.bigint().notNull(),
    /** On-chain id of the claim that the pool paid (its redemption's); null for a swap by order or account. */
    claimId: t.bigint("claim"),
    /** `carbon_move.sequence` of the CARBON; null only inside its transaction. */
    moveSequence: t.int8("move", { mode: "bigint" }),
    /** Number of the block. */
    blockNumber: t.bigint().notNull(),
    /** The block's timestamp, seconds since 1970. */
    swappedAt: t.bigint().notNull(),
    /** Hash of the transaction. */
    transactionHash: t.hex().notNull(),
  }),
  (table) => ({
    byPublicId: index().on(table.publicId),
    bySide: index().on(table.side, table.sequence),
    bySupplier: index().on(table.supplierIndex, table.sequence),
    byImplementer: index().on(table.implementerIndex, table.sequence),
    byClaim: index().on(table.claimId),
    byTransaction: index().on(table.transactionHash),
  }),
);
