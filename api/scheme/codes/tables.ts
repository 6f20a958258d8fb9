import { integer, jsonb, pgTable, text, timestamp, uniqueIndex } from "drizzle-orm/pg-core";
import { bytes } from "../../platform/db/index.ts";
import type { CardLanguage } from "../cards/index.ts";

/** One-time codes that were made with one issue of vouchers. The codes themselves are stored nowhere. */
export const codeSets = pgTable("code_sets", {
  /** Id of the operation that issues the vouchers. */
  codeSetId: text("code_set_id").primaryKey(),
  implementerDid: text("implementer_did").notNull(),
  /** Index of the certificate on chain. */
  certificate: integer().notNull(),
  /** Batch id of the vouchers. */
  batchId: text("batch_id").notNull(),
  language: text().$type<CardLanguage>().notNull(),
  codesPerVoucher: integer("codes_per_voucher").notNull(),
  /** What the codes are derived from, sealed (secret-box.ts); null after the papers were handed out. */
  sealedSeed: text("sealed_seed"),
  createdAt: timestamp("created_at", { withTimezone: true, mode: "date" }).notNull(),
});

/** The trees whose roots are committed on chain, each for at most 1,024 households. */
export const codeTrees = pgTable(
  "code_trees",
  {
    root: text().primaryKey(),
    codeSetId: text("code_set_id").notNull(),
    /** Position of the first household in the certificate's allocation. */
    firstLeaf: integer("first_leaf").notNull(),
    /** Indexes of the households, in order. */
    households: jsonb().$type<number[]>().notNull(),
    /** Addresses of the codes' keys, 20 bytes each: those of the first household, then of the second, and so on. */
    keys: bytes().notNull(),
    /** Roots of the households' subtrees, 32 bytes each. */
    nodes: bytes().notNull(),
  },
  (table) => [uniqueIndex("code_trees_place").on(table.codeSetId, table.firstLeaf)],
);

export type CodeSetRow = typeof codeSets.$inferSelect;
export type CodeTreeRow = typeof codeTrees.$inferSelect;
