import { bigint, integer, jsonb, pgTable, text, timestamp, varchar } from "drizzle-orm/pg-core";
import type { JWK } from "jose";
import type { Role } from "../http/index.ts";

/** API keys. Only the secret's hash is stored. */
export const apiKeys = pgTable("api_keys", {
  /** The 12 characters between `hk_` and the secret. */
  id: text("id").primaryKey(),
  /** SHA-256 of the 43 secret characters, hexadecimal. */
  secretHash: text("secret_hash").notNull(),
  name: text("name").notNull(),
  role: text("role").$type<Role>().notNull(),
  supplierDid: text("supplier_did"),
  implementerDid: text("implementer_did"),
  /** Public key of DPoP proofs; suppliers always have one. */
  publicJwk: jsonb("public_jwk").$type<JWK>(),
  scopes: jsonb("scopes").$type<string[]>().notNull(),
  /** DIDs that an integrator may act for, null means all; of an evaluator the DIDs of the verifier. */
  dids: jsonb("dids").$type<string[] | null>(),
  /** CIDR ranges that requests may come from; null means any. */
  ipRanges: jsonb("ip_ranges").$type<string[] | null>(),
  /** Null: the server's default. */
  requestsPerMinute: integer("requests_per_minute"),
  /** Adapter of `connect/` that made the key for a device or a gateway; null for all other keys. */
  adapter: text(),
  createdBy: text("created_by").notNull(),
  createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
  expiresAt: timestamp("expires_at", { withTimezone: true }),
  revokedAt: timestamp("revoked_at", { withTimezone: true }),
  /** Stored about once a minute; null: not used since this column exists. */
  lastUsedAt: timestamp("last_used_at", { withTimezone: true }),
});

/** Used DPoP proofs, kept for as long as a proof is accepted. */
export const dpopProofs = pgTable("dpop_proofs", {
  /** API key id and the proof's `jti`. */
  id: text("id").primaryKey(),
  expiresAt: timestamp("expires_at", { withTimezone: true }).notNull(),
});

/** Requests per subject and minute, in PostgreSQL only. `expire`: end of the minute by the database's clock, unix milliseconds. */
export const rateLimits = pgTable("rate_limits", {
  key: varchar("key", { length: 255 }).primaryKey(),
  points: integer("points").notNull().default(0),
  expire: bigint("expire", { mode: "number" }),
});
