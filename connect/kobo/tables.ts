import { sql } from "drizzle-orm";
import { index, integer, jsonb, pgTable, primaryKey, text, timestamp, uniqueIndex } from "drizzle-orm/pg-core";
import type { FormKind } from "../records/forms/question.ts";

/** Where the answer to a field of Hearth's form is in a Kobo record: `people/children` may be `group_ab1/kids` there. */
export type FieldMapping = { field: string; question: string };

const moment = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });

/** KoboToolbox projects whose records become records of one form of Hearth. */
export const koboConnections = pgTable(
  "kobo_connections",
  {
    id: text("id").primaryKey(),
    name: text("name").notNull(),
    /** Without a slash at the end. */
    serverUrl: text("server_url").notNull(),
    assetUid: text("asset_uid").notNull(),
    /** Kobo's API token, sealed. */
    sealedToken: text("sealed_token").notNull(),
    /** The password with which Kobo's hook calls, sealed: the hook can be made again with it. */
    sealedSecret: text("sealed_secret").notNull(),
    /** Id of the hook at Kobo; null before it is made and after it is removed. */
    hookUid: text("hook_uid"),
    form: text("form").$type<FormKind>().notNull(),
    mapping: jsonb("mapping").$type<FieldMapping[]>().notNull(),
    /** DID of who collects, as records name who weighed or surveyed. */
    collectorDid: text("collector_did").notNull(),
    implementerDid: text("implementer_did").notNull(),
    campaignId: text("campaign_id"),
    planId: text("plan_id"),
    supplierDid: text("supplier_did"),
    /** Hearth's API key with which records are written. When it is revoked, the connection ends too. */
    keyId: text("key_id").notNull(),
    sealedKey: text("sealed_key").notNull(),
    createdBy: text("created_by").notNull(),
    createdAt: moment("created_at").notNull(),
    revokedAt: moment("revoked_at"),
  },
  (table) => [
    // A project that were connected twice would write each record twice.
    uniqueIndex("kobo_connections_asset").on(table.serverUrl, table.assetUid).where(sql`${table.revokedAt} is null`),
    index("kobo_connections_created").on(table.createdAt, table.id),
  ],
);
export type ConnectionRow = typeof koboConnections.$inferSelect;

/** Kobo's records, each with what is left to do: a bell says that a record is new or changed, and it is read from Kobo afterwards. */
export const koboBells = pgTable(
  "kobo_bells",
  {
    connectionId: text("connection_id")
      .notNull()
      .references(() => koboConnections.id),
    /** The record's `meta/rootUuid`, which edits keep, without `uuid:`. */
    rootUuid: text("root_uuid").notNull(),
    /** How often it rang, and how many of these rings are done. */
    rings: integer("rings").notNull(),
    ringsDone: integer("rings_done").notNull(),
    /** Failed attempts since the last success. */
    tries: integer("tries").notNull(),
    nextTryAt: moment("next_try_at").notNull(),
    /** A process reads the record until then. */
    leaseUntil: moment("lease_until"),
    /** Why the last attempt failed. */
    lastError: text("last_error"),
    /** Of the latest version that is stored: its instanceID, and its record. */
    instanceId: text("instance_id"),
    submissionId: text("submission_id"),
    rungAt: moment("rung_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.connectionId, table.rootUuid] }),
    index("kobo_bells_due").on(table.nextTryAt).where(sql`${table.ringsDone} < ${table.rings}`),
  ],
);
export type BellRow = typeof koboBells.$inferSelect;
