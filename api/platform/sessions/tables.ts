import { index, integer, jsonb, pgTable, text, timestamp } from "drizzle-orm/pg-core";
import type { JWK } from "jose";
import type { Capacity } from "./standing.ts";

/** Unused nonces of sign-in messages. */
export const signInNonces = pgTable("sign_in_nonces", {
  nonce: text("nonce").primaryKey(),
  expiresAt: timestamp("expires_at", { withTimezone: true }).notNull(),
});

/** Sessions of accounts that signed in with a wallet. Only the hash of the token's secret is stored. */
export const walletSessions = pgTable(
  "wallet_sessions",
  {
    /** The 12 characters between `hs_` and the secret. */
    id: text("id").primaryKey(),
    /** SHA-256 of the 43 secret characters, hexadecimal. */
    secretHash: text("secret_hash").notNull(),
    /** The account, in lower case. */
    address: text("address").notNull(),
    /** What the account acts as. Whether it still has this standing is read from the chain. */
    actsAs: text("acts_as").$type<Capacity>().notNull(),
    /** The participant's number on chain; 0 where there is none. */
    participant: integer("participant").notNull(),
    /** Public key of DPoP proofs, from the message that the wallet signed. */
    publicJwk: jsonb("public_jwk").$type<JWK>().notNull(),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
    expiresAt: timestamp("expires_at", { withTimezone: true }).notNull(),
    endedAt: timestamp("ended_at", { withTimezone: true }),
  },
  (table) => [index("wallet_sessions_expiry").on(table.expiresAt)],
);

export type WalletSessionRow = typeof walletSessions.$inferSelect;
