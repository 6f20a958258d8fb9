import { jsonb, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";
import type { HeldDelegation } from "../wire/turn.ts";

const moment = (name: string) => timestamp(name, { withTimezone: true });

/** Delegations by which users let the oracle act in their name. */
export const oracleDelegations = pgTable("oracle_delegations", {
  userDid: text("user_did").primaryKey(),
  raw: text("raw").notNull(),
  cid: text("cid").notNull(),
  capabilities: jsonb("capabilities").$type<HeldDelegation["capabilities"]>().notNull(),
  expiresAt: moment("expires_at").notNull(),
  storedAt: moment("stored_at").notNull(),
});

/** Session keys that sign for a wallet's DID. */
export const oracleDidKeys = pgTable(
  "oracle_did_keys",
  {
    /** did:pkh or did:ethr. */
    did: text("did").notNull(),
    keyDid: text("key_did").notNull(),
    expiresAt: moment("expires_at").notNull(),
    createdAt: moment("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.did, table.keyDid] })],
);
