import { index, onchainTable } from "ponder";
import type { BufferChangeKind } from "./itmo-words.ts";

/** Invalidation buffer. Quantities are whole tonnes. */

/** Terms of the buffer; those of a conversion are the last with a `firstConversion` up to it. Rows are only ever added. */
export const bufferTerms = onchainTable("buffer_terms", (t) => ({
  /** Chain order, see `activity.sequence`. */
  sequence: t.int8({ mode: "bigint" }).primaryKey(),
  /** Share of a conversion that is held, ten-thousandths. */
  share: t.integer().notNull(),
  /** Days for which it is held. */
  holdDays: t.integer().notNull(),
  /** First conversion that they hold for. */
  firstConversion: t.integer().notNull(),
  /** Time of their block, seconds since 1970. */
  setAt: t.bigint().notNull(),
  /** Transaction that set them. */
  transactionHash: t.hex().notNull(),
}));

/** What the buffer holds of each conversion, in its current state. */
export const bufferHold = onchainTable(
  "buffer_hold",
  (t) => ({
    /** Index of the conversion. */
    conversionIndex: t.integer("conversion").primaryKey(),
    /** First serial that was held. */
    firstId: t.bigint().notNull(),
    /** Last serial that was held (inclusive). */
    lastId: t.bigint().notNull(),
    /** Tonnes that were held at first. */
    quantity: t.bigint().notNull(),
    /** Tonnes that are still held. */
    held: t.bigint().notNull(),
    /** Tonnes cancelled because certificates were revoked. */
    cancelled: t.bigint().notNull(),
    /** Tonnes given back. */
    released: t.bigint().notNull(),
    /** End of the holding time, seconds since 1970. */
    heldUntil: t.bigint().notNull(),
    /** Chain order, see `activity.sequence`. */
    sequence: t.int8({ mode: "bigint" }).notNull(),
    /** Time of the finalisation's block, seconds since 1970. */
    heldAt: t.bigint().notNull(),
    /** Transaction of the finalisation. */
    transactionHash: t.hex().notNull(),
  }),
  (table) => ({ byEnd: index().on(table.heldUntil) }),
);

/** Cancellations and releases; rows are only ever added. */
export const bufferChange = onchainTable(
  "buffer_change",
  (t) => ({
    /** Chain order, see `activity.sequence`. */
    sequence: t.int8({ mode: "bigint" }).primaryKey(),
    /** Index of the conversion. */
    conversionIndex: t.integer("conversion").notNull(),
    /** `cancellation` or `release`. */
    kind: t.text().$type<BufferChangeKind>().notNull(),
    /** Index of the certificate that was revoked; null for a release. */
    certificateIndex: t.integer("certificate"),
    /** First serial. */
    firstId: t.bigint().notNull(),
    /** Last serial (inclusive). */
    lastId: t.bigint().notNull(),
    /** Tonnes. */
    quantity: t.bigint().notNull(),
    /** Time of its block, seconds since 1970. */
    changedAt: t.bigint().notNull(),
    /** Its transaction. */
    transactionHash: t.hex().notNull(),
  }),
  (table) => ({
    byConversion: index().on(table.conversionIndex, table.sequence),
    byCertificate: index().on(table.certificateIndex, table.sequence),
  }),
);
