import { index, integer, jsonb, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";
import { bytes } from "../../platform/db/index.ts";
import type { DropReason, Group } from "./groups.ts";
import type { CampaignTerms } from "./terms/terms.ts";

/** Campaigns as their events on chain give them. What changes (status, claims, how far is drawn) is read from the chain. */
export const campaigns = pgTable("campaigns", {
  campaignId: text("campaign_id").primaryKey(),
  /** Index on chain, from 1. */
  campaign: integer().notNull().unique(),
  plan: integer().notNull(),
  /** Index of the plan's implementer. */
  implementer: integer().notNull(),
  startDate: text("start_date").notNull(),
  endDate: text("end_date").notNull(),
  /** Households of each group's sample. */
  sampleSize: integer("sample_size").notNull(),
  referenceRoot: text("reference_root").notNull(),
  referenceSize: integer("reference_size").notNull(),
  interventionRoot: text("intervention_root").notNull(),
  interventionSize: integer("intervention_size").notNull(),
  terms: jsonb().$type<CampaignTerms>().notNull(),
  transactionHash: text("transaction_hash").notNull(),
  /** Block of the commit. */
  blockNumber: integer("block_number").notNull(),
  committedAt: timestamp("committed_at", { withTimezone: true, mode: "date" }).notNull(),
});

/** Members of a frame, by its Merkle root, which names them exactly; in chunks, ascending by leaf. Stored before the commit. */
export const campaignFrames = pgTable(
  "campaign_frames",
  {
    root: text().notNull(),
    chunk: integer().notNull(),
    /** 32 bytes a household. */
    leaves: bytes().notNull(),
    /** In the order of the leaves. */
    dids: jsonb().$type<string[]>().notNull(),
    savedAt: timestamp("saved_at", { withTimezone: true, mode: "date" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.root, table.chunk] })],
);

/** Households drawn so far, the replaced ones too: what is recomputed from frame and seed, kept for finding a household. */
export const campaignSamples = pgTable(
  "campaign_samples",
  {
    campaign: integer().notNull(),
    group: text().$type<Group>().notNull(),
    /** In the order of the draw, from 0. */
    position: integer().notNull(),
    leaf: text().notNull(),
    did: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.campaign, table.group, table.position] }),
    index("campaign_samples_leaf").on(table.leaf),
  ],
);

/** Households that left a sample. Note and evidence stay here; everything else is on chain. */
export const campaignReplacements = pgTable(
  "campaign_replacements",
  {
    campaign: integer().notNull(),
    group: text().$type<Group>().notNull(),
    /** Position of the household that left. */
    dropped: integer().notNull(),
    /** Position that took its place; null until the chain has it. */
    replacement: integer(),
    reason: text().$type<DropReason>().notNull(),
    note: text(),
    /** URI of what shows the reason. */
    evidence: text(),
    transactionHash: text("transaction_hash"),
    blockNumber: integer("block_number"),
  },
  (table) => [primaryKey({ columns: [table.campaign, table.group, table.dropped] })],
);

/** Drawn households that are neither measured nor replaced. Note and evidence stay here; everything else is on chain. */
export const campaignMissing = pgTable(
  "campaign_missing",
  {
    campaign: integer().notNull(),
    group: text().$type<Group>().notNull(),
    position: integer().notNull(),
    reason: text().$type<DropReason>().notNull(),
    note: text(),
    /** URI of what shows the reason. */
    evidence: text(),
    /** Null until the chain has it. */
    transactionHash: text("transaction_hash"),
    blockNumber: integer("block_number"),
  },
  (table) => [primaryKey({ columns: [table.campaign, table.group, table.position] })],
);

/** This service's secrets for draws, encrypted. Stored before their commitments are sent. */
export const campaignDrawSecrets = pgTable(
  "campaign_draw_secrets",
  {
    campaign: integer().notNull(),
    /** Of the draw, from 0. */
    round: integer().notNull(),
    sealedSecret: text("sealed_secret").notNull(),
    createdAt: timestamp("created_at", { withTimezone: true, mode: "date" }).notNull(),
    /** When nothing was left to do: the secret is revealed, or its round is over. */
    settledAt: timestamp("settled_at", { withTimezone: true, mode: "date" }),
  },
  (table) => [primaryKey({ columns: [table.campaign, table.round] })],
);

export type StoredCampaign = typeof campaigns.$inferSelect;
export type SampleRow = typeof campaignSamples.$inferSelect;
export type MissingRow = typeof campaignMissing.$inferSelect;
export type ReplacementRow = typeof campaignReplacements.$inferSelect;
