import {
  bigint,
  bigserial,
  boolean,
  date,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
} from "drizzle-orm/pg-core";
import { chainTransactions } from "../../platform/chain/index.ts";
import { bytes } from "../../platform/db/index.ts";
import type { CertificateFacts } from "./facts.ts";

/** Certificates, from their events on chain. Status and sums are read from the chain. */
export const certificates = pgTable("certificates", {
  certificateId: text("certificate_id").primaryKey(),
  /** Index on chain, from 1. */
  certificate: integer().notNull().unique(),
  implementer: integer().notNull(),
  plan: integer().notNull(),
  facts: jsonb().$type<CertificateFacts>().notNull(),
  transactionHash: text("transaction_hash").notNull(),
  registeredAt: timestamp("registered_at", { withTimezone: true, mode: "date" }).notNull(),
});

/** Leaves of complete allocations, one row for each chunk of 256. Every proof can be computed from them. */
export const allocationChunks = pgTable(
  "allocation_chunks",
  {
    certificate: integer().notNull(),
    chunk: integer().notNull(),
    leaves: bytes().notNull(),
  },
  (table) => [primaryKey({ columns: [table.certificate, table.chunk] })],
);

/** A registration that has passed every check and is not on chain yet. It can be resumed. */
export const certificateDrafts = pgTable("certificate_drafts", {
  /** SHA-256 of the registration, so that a changed certificate is another draft. */
  draftId: text("draft_id").primaryKey(),
  certificateId: text("certificate_id").notNull(),
  registration: jsonb().$type<Record<string, string | number>>().notNull(),
  leaves: bytes().notNull(),
  /** Households of the certificate's campaign, packed as in reservations.ts; null without a campaign. */
  campaignHouseholds: bytes("campaign_households"),
  createdAt: timestamp("created_at", { withTimezone: true, mode: "date" }).notNull(),
});

/**
 * The households and the time for which a transaction of the outbox registers or allocates a certificate, or issues the voucher of one
 * without allocations. A reservation is stored with its transaction, and counts unless that one fails or is reverted.
 */
export const certificateReservations = pgTable("certificate_reservations", {
  transactionId: bigint("transaction_id", { mode: "number" })
    .primaryKey()
    .references(() => chainTransactions.id, { onDelete: "cascade" }),
  certificateId: text("certificate_id").notNull(),
  vintage: integer().notNull(),
  startDate: date("start_date", { mode: "string" }).notNull(),
  endDate: date("end_date", { mode: "string" }).notNull(),
  isOfCampaign: boolean("is_of_campaign").notNull(),
  /** Whether the transaction issues the one voucher of a certificate without allocations. */
  isUnallocated: boolean("is_unallocated").notNull().default(false),
  /** Packed indexes (reservations.ts). */
  households: bytes().notNull(),
  /** Rises in the order of the commits, unlike the transaction's id: it is given while no other transaction can reserve. */
  number: bigserial({ mode: "number" }).notNull(),
});

/** The credentials of certificates; the chain holds their hashes. */
export const certificateCredentials = pgTable("certificate_credentials", {
  credentialHash: text("credential_hash").primaryKey(),
  certificateId: text("certificate_id").notNull(),
  issuer: text().notNull(),
  token: text().notNull(),
  createdAt: timestamp("created_at", { withTimezone: true, mode: "date" }).notNull(),
});

export type CertificateRow = typeof certificates.$inferSelect;
