import { bigint, index, jsonb, pgTable, text, timestamp } from "drizzle-orm/pg-core";

/** Passkeys (WebAuthn) with which a person gets a key on another device. */
export const passkeys = pgTable(
  "passkeys",
  {
    /** The credential's id, base64url. */
    id: text("id").primaryKey(),
    /** The API key of the device that made it. It must be valid for the passkey to work. */
    keyId: text("key_id").notNull(),
    name: text("name").notNull(),
    /** COSE, base64url. */
    publicKey: text("public_key").notNull(),
    /** Signatures that the authenticator has made; 0 when it does not count. */
    counter: bigint("counter", { mode: "number" }).notNull(),
    transports: jsonb("transports").$type<string[]>().notNull(),
    /** API keys that it made and that are valid, oldest first. */
    madeKeys: jsonb("made_keys").$type<string[]>().notNull(),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
    lastUsedAt: timestamp("last_used_at", { withTimezone: true }),
    revokedAt: timestamp("revoked_at", { withTimezone: true }),
  },
  (table) => [index("passkeys_key").on(table.keyId)],
);

/** Challenges that an authenticator has to sign; each is deleted when it is used. All processes share them. */
export const passkeyChallenges = pgTable("passkey_challenges", {
  /** Base64url of 32 random bytes. */
  challenge: text("challenge").primaryKey(),
  /** What the answer is good for: `register <API key's id>`, or `sign-in <thumbprint of the device's key pair>`. */
  purpose: text("purpose").notNull(),
  expiresAt: timestamp("expires_at", { withTimezone: true }).notNull(),
});
