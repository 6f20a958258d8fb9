import { jsonb, pgTable, text, timestamp } from "drizzle-orm/pg-core";
import type { Actor } from "../../platform/http/index.ts";

const moment = (name: string) => timestamp(name, { withTimezone: true });

/** Users for whom the oracle reads as the holder of an API key or a session. */
export const oracleAccess = pgTable("oracle_access", {
  /** The user's DID in conversations. */
  userDid: text("user_did").primaryKey(),
  actor: jsonb("actor").$type<Actor>().notNull(),
  expiresAt: moment("expires_at").notNull(),
});
