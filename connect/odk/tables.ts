import { bigint, index, jsonb, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";
import type { FormKind } from "../records/forms/question.ts";

/** People who collect with ODK Collect or Enketo. Each has a secret link and a password, which stand for an API key. */
export const odkCollectors = pgTable(
  "odk_collectors",
  {
    /** The 12 characters between `ho_` and the secret of the link's token. */
    id: text("id").primaryKey(),
    /** SHA-256 of the token's secret, hexadecimal. */
    secretHash: text("secret_hash").notNull(),
    /** The API key, encrypted with the token's secret: without the link, nobody can read it. */
    sealedKey: text("sealed_key").notNull(),
    /** MD5 of user name, realm and password (HA1 of RFC 7616), encrypted by the service. Null: the collector has no password. */
    sealedHa1: text("sealed_ha1"),
    /** The same API key, encrypted by the service: a request with a password brings no secret that could open `sealedKey`. */
    keyForPassword: text("key_for_password"),
    /** Id of that API key. When it is revoked, the link and the password end too. */
    keyId: text("key_id").notNull(),
    name: text("name").notNull(),
    /** DID of the person, as records name who weighed or surveyed. */
    collectorDid: text("collector_did").notNull(),
    implementerDid: text("implementer_did").notNull(),
    forms: jsonb("forms").$type<FormKind[]>().notNull(),
    /** Campaign of KPT visits and usage surveys. */
    campaignId: text("campaign_id"),
    /** Monitoring plan of device installations. */
    planId: text("plan_id"),
    /** Supplier of deliveries. */
    supplierDid: text("supplier_did"),
    createdBy: text("created_by").notNull(),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
    revokedAt: timestamp("revoked_at", { withTimezone: true }),
  },
  (table) => [index("odk_collectors_created").on(table.createdAt, table.id)],
);
export type CollectorRow = typeof odkCollectors.$inferSelect;

/** Nonces of HTTP Digest that a collector has used, with the highest count: a request with a lower or equal one is a repetition. */
export const odkNonces = pgTable(
  "odk_nonces",
  {
    collectorId: text("collector_id").notNull(),
    nonce: text("nonce").notNull(),
    count: bigint("count", { mode: "number" }).notNull(),
    expiresAt: timestamp("expires_at", { withTimezone: true }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.collectorId, table.nonce] }),
    index("odk_nonces_expires").on(table.expiresAt),
  ],
);
