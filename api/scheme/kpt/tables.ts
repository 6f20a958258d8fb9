import {
  bigint,
  bigserial,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  unique,
} from "drizzle-orm/pg-core";
import type { KptFuel, KptPeopleFed } from "../../../wire/src/kpt-visits.ts";

/** Amounts by fuel as decimal text. */
export type FuelAmounts = Partial<Record<KptFuel, string>>;

/**
 * KPT claims. `filing`: its days are reserved, it may not be on chain yet. `verified`: on chain. `revoked`: on chain, and
 * revoked there. `refused`: the chain refused it, or it was abandoned before it was signed. `void`: refused, and its files are
 * removed. Its number is never used again. The daily logs are only in the encrypted file.
 */
export const kptClaims = pgTable(
  "kpt_claims",
  {
    /** Public id, `KPT-…`. */
    id: text().primaryKey(),
    /** In the order of filing. */
    sequence: bigserial({ mode: "number" }).notNull(),
    campaign: integer().notNull(),
    campaignId: text("campaign_id").notNull(),
    group: text({ enum: ["reference", "intervention"] }).notNull(),
    /** In the group's draw order, from 0. */
    position: integer().notNull(),
    /** Among the household's claims in the campaign, from 1. */
    number: integer().notNull(),
    householdDid: text("household_did").notNull(),
    /** The household's keyed hash on chain. */
    householdHash: text("household_hash").notNull(),
    /** First and last day, inclusive, days since 1970-01-01. */
    startDay: integer("start_day").notNull(),
    endDay: integer("end_day").notNull(),
    totalGrams: bigint("total_grams", { mode: "bigint" }).notNull(),
    /** Number of daily logs. */
    logs: integer().notNull(),
    /** Of a claim with visits: grams (Wh of electricity) of each fuel as decimal text; null for one of a single fuel. */
    fuels: jsonb().$type<FuelAmounts>(),
    /** Of a claim that counts dry mass: grams of each solid biomass as weighed; null for others. `fuels` has the dry mass. */
    weighed: jsonb().$type<FuelAmounts>(),
    /** Of a claim with visits: the people that they fed; null for others, and for claims of earlier versions. */
    fed: jsonb().$type<KptPeopleFed>(),
    /** Keyed hash of the claim's content: equal for the same claim sent again. */
    contentHash: text("content_hash").notNull(),
    /** The idempotent request that files it. */
    idempotencyKey: text("idempotency_id").unique(),
    status: text({ enum: ["filing", "verified", "revoked", "refused", "void"] }).notNull(),
    /** Reason of the revocation or refusal. */
    reason: text(),
    /** SHA-256 in the CID of the claim's file; null until the file is stored. */
    claimHash: text("claim_hash"),
    evidence: jsonb().$type<string[]>(),
    /** Compact JWT; null until it is signed. From then on the claim is recorded, whatever happens. */
    credential: text(),
    credentialHash: text("credential_hash"),
    transactionHash: text("transaction_hash"),
    blockNumber: bigint("block_number", { mode: "number" }),
    /** Time of that block. */
    filedAt: timestamp("filed_at", { withTimezone: true }),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
  },
  (table) => [
    unique("kpt_claims_place").on(table.campaign, table.group, table.position, table.number),
    index("kpt_claims_campaign").on(table.campaign, table.sequence),
    index("kpt_claims_periods").on(table.status, table.campaign, table.group, table.startDay),
    index("kpt_claims_open").on(table.status, table.createdAt),
  ],
);

/** The days that valid claims measured. A household has at most one claim per day; the first one filed keeps the day. */
export const kptMeasuredDays = pgTable(
  "kpt_measured_days",
  {
    householdHash: text("household_hash").notNull(),
    day: integer().notNull(),
    claim: text()
      .notNull()
      .references(() => kptClaims.id),
  },
  (table) => [
    primaryKey({ columns: [table.householdHash, table.day] }),
    index("kpt_measured_days_claim").on(table.claim),
  ],
);

export type KptClaimRow = typeof kptClaims.$inferSelect;
export type NewKptClaim = Pick<
  KptClaimRow,
  | "campaign"
  | "campaignId"
  | "group"
  | "position"
  | "householdDid"
  | "householdHash"
  | "startDay"
  | "endDay"
  | "totalGrams"
  | "logs"
  | "fuels"
  | "weighed"
  | "fed"
  | "contentHash"
  | "idempotencyKey"
  | "createdAt"
>;
