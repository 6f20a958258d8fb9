import { index, pgTable, text, timestamp } from "drizzle-orm/pg-core";

const time = (name: string) => timestamp(name, { withTimezone: true });

/** Revoked UCANs: neither they nor UCANs that build on them are accepted. */
export const fileRevocations = pgTable(
  "file_revocations",
  {
    /** SHA-256 of the text that the issuer signed, hexadecimal: re-encoding or re-signing does not bring a token back. */
    identity: text("identity").primaryKey(),
    /** CID of the UCAN as it was shown, canonical text. */
    cid: text("cid").notNull(),
    /** DID of the namespace that it gave access to. */
    owner: text("owner").notNull(),
    issuer: text("issuer").notNull(),
    audience: text("audience").notNull(),
    /** DID that revoked it: its issuer, or one above it in its chain. */
    revokedBy: text("revoked_by").notNull(),
    revokedAt: time("revoked_at").notNull(),
    /** When the UCAN would have expired; null: never. The row matters only until then. */
    expiresAt: time("expires_at"),
  },
  (table) => [
    index("file_revocations_owner").on(table.owner, table.revokedAt, table.identity),
    index("file_revocations_cid").on(table.cid),
  ],
);

/** Nonces of single-use tokens that were used, kept for as long as the token would be accepted. */
export const fileTokenNonces = pgTable(
  "file_token_nonces",
  {
    /** SHA-256 of issuer and nonce, hexadecimal. */
    id: text("id").primaryKey(),
    expiresAt: time("expires_at").notNull(),
  },
  (table) => [index("file_token_nonces_expiry").on(table.expiresAt)],
);
