import { bigint, index, integer, jsonb, pgTable, primaryKey, text, timestamp, uniqueIndex } from "drizzle-orm/pg-core";
import type { FormKind, Question } from "./forms/question.ts";
import type { Reason } from "./reasons.ts";
import type { SubmissionStatus } from "./statuses.ts";

// The names in the database are those of the first room that had records, connect/odk.

/** Every version of a form that was offered. A phone may send a record of an old version. */
export const odkForms = pgTable(
  "odk_forms",
  {
    /** The implementer. Different implementers may have forms with one id. */
    implementerDid: text("implementer_did").notNull(),
    formId: text("form_id").notNull(),
    version: text("version").notNull(),
    kind: text("kind").$type<FormKind>().notNull(),
    questions: jsonb("questions").$type<Question[]>().notNull(),
    firstOfferedAt: timestamp("first_offered_at", { withTimezone: true }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.implementerDid, table.formId, table.version] })],
);
export type FormRow = typeof odkForms.$inferSelect;

/** Records as phones sent them. Their answers are in the encrypted file store, not here. */
export const odkSubmissions = pgTable(
  "odk_submissions",
  {
    /** ULID. */
    id: text("id").primaryKey(),
    implementerDid: text("implementer_did").notNull(),
    formId: text("form_id").notNull(),
    version: text("version").notNull(),
    kind: text("kind").$type<FormKind>().notNull(),
    /** The record's `meta/instanceID`; an edit of the record has a new one. */
    instanceId: text("instance_id").notNull(),
    /** The instanceID that this one replaces. */
    deprecatedId: text("deprecated_id"),
    /** Id of the record that took this one's place. */
    replacedBy: text("replaced_by"),
    /** Who corrected the replaced record from the desk: an API key's id or an account. Null in a record that came from outside. */
    correctedBy: text("corrected_by"),
    /** The collector or connection that it came from. */
    collectorId: text("collector_id").notNull(),
    /** Its name; null in records that were stored before the name was kept here. */
    collectorName: text("collector_name"),
    campaignId: text("campaign_id"),
    /** SHA-256 of the record's bytes, hexadecimal. The same bytes again are the same record. */
    sha256: text("sha256").notNull(),
    status: text("status").$type<SubmissionStatus>().notNull(),
    /** Of a KPT visit: its household, and the day of the test. */
    householdDid: text("household_did"),
    day: integer("day"),
    /** Region or village of the household; null while it is not known. */
    region: text("region"),
    /** What was made of it, such as the id of a claim. */
    resultId: text("result_id"),
    /** Every rule that it broke. */
    details: jsonb("details").$type<Reason[]>().notNull(),
    receivedAt: timestamp("received_at", { withTimezone: true }).notNull(),
    endedAt: timestamp("ended_at", { withTimezone: true }),
    /** When the files that ended in no record were destroyed; null before. */
    filesReleasedAt: timestamp("files_released_at", { withTimezone: true }),
  },
  (table) => [
    uniqueIndex("odk_submissions_instance").on(table.implementerDid, table.formId, table.instanceId),
    index("odk_submissions_received").on(table.implementerDid, table.receivedAt, table.id),
    index("odk_submissions_visits").on(table.campaignId, table.householdDid),
    index("odk_submissions_open").on(table.collectorId, table.status),
  ],
);
export type SubmissionRow = typeof odkSubmissions.$inferSelect;

/** Photos and other files of records. Their bytes are in the encrypted file store. */
export const odkAttachments = pgTable(
  "odk_attachments",
  {
    submissionId: text("submission_id")
      .notNull()
      .references(() => odkSubmissions.id),
    /** The file's name in the record. */
    name: text("name").notNull(),
    cid: text("cid").notNull(),
    sha256: text("sha256").notNull(),
    size: bigint("size", { mode: "number" }).notNull(),
    mimeType: text("mime_type").notNull(),
  },
  (table) => [primaryKey({ columns: [table.submissionId, table.name] })],
);
export type AttachmentRow = typeof odkAttachments.$inferSelect;
