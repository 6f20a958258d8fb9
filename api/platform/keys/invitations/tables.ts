import { jsonb, pgTable, text, timestamp } from "drizzle-orm/pg-core";
import type { NewApiKey } from "../schemas.ts";

/** Invitations to make an API key. Only the secret's hash is stored. */
export const invitations = pgTable("invitations", {
  /** The 12 characters between `hi_` and the secret. */
  id: text("id").primaryKey(),
  /** SHA-256 of the 43 secret characters, hexadecimal. */
  secretHash: text("secret_hash").notNull(),
  /** The API key to make; its public key is the one of the device that accepts. */
  key: jsonb("key").$type<Omit<NewApiKey, "publicJwk">>().notNull(),
  createdBy: text("created_by").notNull(),
  createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
  expiresAt: timestamp("expires_at", { withTimezone: true }).notNull(),
  acceptedAt: timestamp("accepted_at", { withTimezone: true }),
  /** The API key that was made. */
  keyId: text("key_id"),
  revokedAt: timestamp("revoked_at", { withTimezone: true }),
});
