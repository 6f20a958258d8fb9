import { index, integer, jsonb, pgTable, text, timestamp, uniqueIndex } from "drizzle-orm/pg-core";
import type { FirstTransferDefinition, ItmoPurpose } from "../../../indexer/schema/itmo-words.ts";
import type { AuthorizationTerms, RegisteredEntity } from "./terms.ts";

const moment = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });

/** Cooperative approaches, from their events on chain. */
export const itmoApproaches = pgTable("itmo_approaches", {
  cooperativeApproachId: text("cooperative_approach_id").primaryKey(),
  /** Index on chain, from 1. */
  approach: integer().notNull().unique(),
  firstTransferringPartyId: text("first_transferring_party_id").notNull(),
  participatingPartyIds: jsonb("participating_party_ids").$type<string[]>().notNull(),
  sectors: jsonb().$type<string[]>().notNull(),
  activityType: text("activity_type").notNull(),
  ndcFirstYear: integer("ndc_first_year").notNull(),
  ndcLastYear: integer("ndc_last_year").notNull(),
  transactionHash: text("transaction_hash").notNull(),
  registeredAt: moment("registered_at").notNull(),
});

/** Authorizations as registered. Quantity, version and remaining quantity are read from the chain. */
export const itmoAuthorizations = pgTable("itmo_authorizations", {
  authorizationId: text("authorization_id").primaryKey(),
  /** Index on chain, from 1. */
  authorization: integer().notNull().unique(),
  approach: integer().notNull(),
  /** YYYY-MM-DD. */
  date: text().notNull(),
  purpose: text().$type<ItmoPurpose>().notNull(),
  firstTransferDefinition: text("first_transfer_definition").$type<FirstTransferDefinition>(),
  /** 0 with `lastYear` 0: any vintage. */
  firstYear: integer("first_year").notNull(),
  lastYear: integer("last_year").notNull(),
  /** Ten-thousandths. */
  omgeShare: integer("omge_share").notNull(),
  sopShare: integer("sop_share").notNull(),
  entities: jsonb().$type<RegisteredEntity[]>().notNull(),
  terms: jsonb().$type<AuthorizationTerms>().notNull(),
  transactionHash: text("transaction_hash").notNull(),
  registeredAt: moment("registered_at").notNull(),
});

/** Requests of conversions, from their events. Their state is read from the chain. */
export const itmoConversions = pgTable(
  "itmo_conversions",
  {
    /** Number on chain, from 1. */
    conversion: integer().primaryKey(),
    implementer: integer().notNull(),
    authorization: integer().notNull(),
    approach: integer().notNull(),
    account: text().notNull(),
    vintage: integer().notNull(),
    transactionHash: text("transaction_hash").notNull(),
    blockNumber: integer("block_number").notNull(),
    requestedAt: moment("requested_at").notNull(),
  },
  (table) => [
    index("itmo_conversions_implementer").on(table.implementer, table.conversion),
    index("itmo_conversions_authorization").on(table.authorization, table.conversion),
  ],
);

/** Outcomes of conversions. They are final, so they are stored when first read. Serials are 64-bit numbers as text. */
export const itmoResponses = pgTable("itmo_answers", {
  conversion: integer().primaryKey(),
  status: text({ enum: ["finalised", "reverted"] }).notNull(),
  registryId: text("registry_id"),
  firstId: text("first_id"),
  lastId: text("last_id"),
  /** Reason of the reversal; null if the conversion was finalised or withdrawn by its account. */
  reason: text(),
  transactionHash: text("transaction_hash").notNull(),
  blockNumber: integer("block_number").notNull(),
  answeredAt: moment("answered_at").notNull(),
});

/** Payments outside the chain. A row never changes. */
export const itmoSettlements = pgTable(
  "itmo_settlements",
  {
    /** `STL-` and a ULID, which sorts by time. */
    settlementId: text("settlement_id").primaryKey(),
    type: text({ enum: ["MOPA", "exchange"] }).notNull(),
    reference: text().notNull(),
    /** Public id of the conversion, block or claim that was settled. */
    subjectId: text("subject_id").notNull(),
    /** Number of the settled conversion or of the block's conversion; null for a claim. */
    conversion: integer(),
    /** Serials of a settled block at that time: 64-bit numbers as text. */
    firstId: text("first_id"),
    lastId: text("last_id"),
    /** DID that received the payment: an implementer (conversion, block) or a supplier (claim). */
    partyDid: text("party_did").notNull(),
    /** Exact decimal without trailing zeros. */
    amount: text().notNull(),
    /** ISO 4217. */
    currency: text().notNull(),
    documentCid: text("document_cid").notNull(),
    /** SHA-256 of the record's canonical JSON, hexadecimal. */
    recordHash: text("record_hash").notNull(),
    recordedBy: text("recorded_by").notNull(),
    recordedAt: moment("recorded_at").notNull(),
  },
  (table) => [
    uniqueIndex("itmo_settlements_reference").on(table.type, table.reference),
    index("itmo_settlements_conversion").on(table.conversion, table.settlementId),
    index("itmo_settlements_subject").on(table.subjectId, table.settlementId),
    index("itmo_settlements_party").on(table.partyDid, table.settlementId),
  ],
);

export type ApproachRow = typeof itmoApproaches.$inferSelect;
export type AuthorizationRow = typeof itmoAuthorizations.$inferSelect;
export type ConversionRow = typeof itmoConversions.$inferSelect;
export type ConversionAnswerRow = typeof itmoResponses.$inferSelect;
export type SettlementRow = typeof itmoSettlements.$inferSelect;
