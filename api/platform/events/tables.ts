import { bigint, text } from "drizzle-orm/pg-core";
import type { Role } from "../http/index.ts";

/** Columns of a table of followers (follower.ts): the permissions of the key that asked for the events. */
export const followerColumns = () => ({
  keyId: text("key_id").notNull(),
  role: text().$type<Role>().notNull(),
  supplierDid: text("supplier_did"),
  implementerDid: text("implementer_did"),
  scopes: text().array().notNull(),
  /** DIDs of an integrator's key; null means all. */
  dids: text().array(),
  /** Everything that events mean for the follower is stored up to this block. */
  throughBlock: bigint("through_block", { mode: "bigint" }).notNull(),
});
