import { customType, integer, jsonb, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";
import type { CertificateFacts } from "./facts.ts";

const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => "bytea" });

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
  createdAt: timestamp("created_at", { withTimezone: true, mode: "date" }).notNull(),
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
