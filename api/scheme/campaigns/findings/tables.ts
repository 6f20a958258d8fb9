import { bigint, index, integer, jsonb, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";

export const findingKinds = ["CAR", "CL", "FAR"] as const;
export type FindingKind = (typeof findingKinds)[number];

/** Content of an act, as JSON. */
export type ActContent =
  | {
      act: "opened";
      kind: FindingKind;
      text: string;
      reference: string | null;
      /** DIDs of the verifier, as the API key names them; absent where it names none. */
      verifier?: string[];
    }
  | { act: "answered" | "closed"; text: string; reference: string | null }
  | { act: "verified"; issuer: string; dataRoomHash: string; credentialHash: string; credential: string };

/**
 * What verifiers and implementers did in the verification of a campaign's result: findings opened, answered and closed, and signed
 * verifications. Rows are only ever added, and each contains the hash of the one before it.
 */
export const campaignVerificationActs = pgTable(
  "campaign_verification_acts",
  {
    campaign: integer().notNull(),
    /** From 1. */
    sequence: integer().notNull(),
    /** Number of the finding in the campaign, from 1; null for a verification. */
    finding: integer(),
    content: jsonb().$type<ActContent>().notNull(),
    /** Role and API key, or account, of the caller. */
    role: text().notNull(),
    caller: text().notNull(),
    at: timestamp({ withTimezone: true, mode: "date" }).notNull(),
    /** Hash of the act before this one; null for the first. */
    previousHash: text("previous_hash"),
    /** SHA-256 of the canonical JSON of everything above. */
    hash: text().notNull(),
    /** Block after whose logs subscribers receive the act; null for acts that were recorded before there were such events. */
    block: bigint({ mode: "bigint" }),
  },
  (table) => [
    primaryKey({ columns: [table.campaign, table.sequence] }),
    index("campaign_verification_acts_block").on(table.block),
  ],
);

export type VerificationAct = typeof campaignVerificationActs.$inferSelect;
