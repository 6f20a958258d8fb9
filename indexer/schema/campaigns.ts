import { index, onchainTable, primaryKey } from "ponder";
import type { CampaignGroup } from "../../wire/src/ids.ts";

export type CampaignStatus = "committed" | "drawn" | "closed" | "abandoned";
export type DropReason = "other" | "refused" | "absent" | "moved" | "ineligible" | "incomplete";
export type DiscardReason = "secret-withheld" | "block-lost" | "campaign-abandoned";
export type DrawPartyKind = "operator" | "second";
export type KptClaimStatus = "verified" | "revoked";

/** Kitchen performance test campaigns: frames committed before the draw, the draw, the result's hash. */
export const campaign = onchainTable(
  "campaign",
  (t) => ({
    /** Index on chain, counted from 1. */
    index: t.integer().primaryKey(),
    /** Public id. */
    campaignId: t.text().notNull(),
    /** Index of the monitoring plan; 0 for the scheme's default plan. */
    planIndex: t.integer("plan").notNull(),
    /** First day of the test period, days since 1970-01-01 UTC. */
    startDay: t.integer().notNull(),
    /** Last day of the test period (inclusive), days since 1970-01-01 UTC. */
    endDay: t.integer().notNull(),
    /** Households to draw from each group's frame. */
    sampleSize: t.integer().notNull(),
    /** Root of the reference group's frame, see ICampaigns.sol. */
    referenceRoot: t.hex().notNull(),
    /** Households in the reference group's frame. */
    referenceSize: t.integer().notNull(),
    /** Root of the intervention group's frame. */
    interventionRoot: t.hex().notNull(),
    /** Households in the intervention group's frame. */
    interventionSize: t.integer().notNull(),
    /** Canonical JSON of the terms in force: season, external factors, confidence, log convention, emissions. */
    terms: t.text().notNull(),
    /** Version of the terms: 1, and one more with each amendment. */
    termsVersion: t.integer().notNull(),
    /** `committed`, `drawn`, `closed` or `abandoned`. */
    status: t.text().$type<CampaignStatus>().notNull(),
    /** Current round of the draw: 0, and one more with each repetition. */
    drawRound: t.integer().notNull(),
    /** Number of the block whose hash is part of the seed; null before the draw is open. */
    drawBlock: t.bigint(),
    /** Until when the parties can reveal their secrets, seconds since 1970; null before the draw is open. */
    revealDeadline: t.bigint(),
    /** Whether two parties drew, so that neither alone could have chosen the draw; false before the draw. */
    twoParties: t.boolean().notNull(),
    /** How often the draw was postponed, because nobody revealed a secret while the block's hash was in reach. */
    postponements: t.integer().notNull(),
    /** Hash of the block that drew; null before the draw. */
    drawBlockHash: t.hex(),
    /** Seed of both groups' draw order; null before the draw. */
    seed: t.hex(),
    /** First position of the reference group that is neither in the sample nor a replacement; 0 before the draw. */
    referenceDrawnTo: t.integer().notNull(),
    /** The same for the intervention group. */
    interventionDrawnTo: t.integer().notNull(),
    /** Claims of the reference group that were recorded and not revoked. */
    referenceClaims: t.integer().notNull(),
    /** Claims of the intervention group that were recorded and not revoked. */
    interventionClaims: t.integer().notNull(),
    /** Positions of the reference group that ended as missing. */
    referenceMissing: t.integer().notNull(),
    /** Positions of the intervention group that ended as missing. */
    interventionMissing: t.integer().notNull(),
    /** Reason of the abandonment; null unless abandoned. */
    abandonmentReason: t.text(),
    /** Hash of the result; null before the close. */
    resultHash: t.hex(),
    /** Index of the certificate made of the result; null before. */
    certificateIndex: t.integer("certificate"),
    /** Chain order of the commitment, see `activity.sequence`; lists are paged by it. */
    sequence: t.int8({ mode: "bigint" }).notNull(),
    /** Block of the commitment. */
    blockNumber: t.bigint().notNull(),
    /** Time of the commitment's block, seconds since 1970. */
    committedAt: t.bigint().notNull(),
    /** Transaction of the commitment. */
    transactionHash: t.hex().notNull(),
    /** Time of the draw's transaction, seconds since 1970; null before. */
    drawnAt: t.bigint(),
    /** Transaction of the draw; null before. */
    drawTransactionHash: t.hex(),
    /** Chain order of the close, see `activity.sequence`; null before. */
    closeSequence: t.int8({ mode: "bigint" }),
    /** Time of the close, seconds since 1970; null before. */
    closedAt: t.bigint(),
    /** Transaction of the close; null before. */
    closeTransactionHash: t.hex(),
    /** Time of the link to the certificate, seconds since 1970; null before. */
    certifiedAt: t.bigint(),
    /** Transaction of the link to the certificate; null before. */
    certificationTransactionHash: t.hex(),
  }),
  (table) => ({
    byCampaignId: index().on(table.campaignId),
    bySequence: index().on(table.sequence),
    byPlan: index().on(table.planIndex, table.sequence),
    byStatus: index().on(table.status, table.sequence),
    byCertificate: index().on(table.certificateIndex),
  }),
);

/** Parties of campaigns' draws, in each round. */
export const drawParty = onchainTable(
  "draw_party",
  (t) => ({
    /** Index of the campaign. */
    campaignIndex: t.integer("campaign").notNull(),
    /** Round of the draw: 0, and one more with each repetition. */
    round: t.integer().notNull(),
    /** The party's account. */
    account: t.hex().notNull(),
    /** `operator` or `second`. */
    kind: t.text().$type<DrawPartyKind>().notNull(),
    /** Hash of the party's secret and account. */
    commitment: t.hex().notNull(),
    /** The secret; null until it is revealed. */
    secret: t.hex(),
    /** Chain order of the commitment, see `activity.sequence`. */
    sequence: t.int8({ mode: "bigint" }).notNull(),
    /** Block of the commitment. */
    blockNumber: t.bigint().notNull(),
    /** Time of the commitment's block, seconds since 1970. */
    committedAt: t.bigint().notNull(),
    /** Transaction of the commitment. */
    transactionHash: t.hex().notNull(),
    /** Time of the reveal, seconds since 1970; null before. */
    revealedAt: t.bigint(),
    /** Transaction of the reveal; null before. */
    revealTransactionHash: t.hex(),
    /** When the draw was repeated because the party withheld its secret, seconds since 1970; null unless it did. */
    withheldAt: t.bigint(),
    /** Transaction of that repetition; null unless the party withheld its secret. */
    withheldTransactionHash: t.hex(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.campaignIndex, table.round, table.account] }),
    byCampaign: index().on(table.campaignIndex, table.sequence),
  }),
);

/** Draws that were discarded after they were open, so that another one could follow. */
export const discardedDraw = onchainTable(
  "discarded_draw",
  (t) => ({
    /** Index of the campaign. */
    campaignIndex: t.integer("campaign").notNull(),
    /** Round of the draw: 0, and one more with each repetition. */
    round: t.integer().notNull(),
    /** `secret-withheld`, `block-lost` or `campaign-abandoned`. */
    reason: t.text().$type<DiscardReason>().notNull(),
    /** The operator's account. */
    operator: t.hex().notNull(),
    /** The second party's account; null without one. */
    secondParty: t.hex(),
    /** The block that drew or was to draw: anyone who had the secrets could know the draw after it. */
    drawBlock: t.bigint().notNull(),
    /** Seed of the draw; null where it was not complete. */
    seed: t.hex(),
    /** Chain order, see `activity.sequence`. */
    sequence: t.int8({ mode: "bigint" }).notNull(),
    /** Block in which it was discarded. */
    blockNumber: t.bigint().notNull(),
    /** Time of that block, seconds since 1970. */
    discardedAt: t.bigint().notNull(),
    /** Transaction that discarded it. */
    transactionHash: t.hex().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.campaignIndex, table.sequence] }),
    byOperator: index().on(table.operator, table.sequence),
  }),
);

/** Households that were drawn and dropped, each with the one that took its place. */
export const replacement = onchainTable(
  "replacement",
  (t) => ({
    /** Index of the campaign. */
    campaignIndex: t.integer("campaign").notNull(),
    /** `reference` or `intervention`. */
    testGroup: t.text().$type<CampaignGroup>().notNull(),
    /** Position in the group's draw order that was dropped, from 0. */
    dropped: t.integer().notNull(),
    /** Position that took its place. */
    replacement: t.integer().notNull(),
    /** `refused`, `absent`, `moved`, `ineligible`, `incomplete` or `other`. */
    reason: t.text().$type<DropReason>().notNull(),
    /** SHA-256 of the evidence's URI; zero for none. */
    evidenceHash: t.hex().notNull(),
    /** Chain order, see `activity.sequence`. */
    sequence: t.int8({ mode: "bigint" }).notNull(),
    /** Block of the replacement. */
    blockNumber: t.bigint().notNull(),
    /** Time of the replacement's block, seconds since 1970. */
    replacedAt: t.bigint().notNull(),
    /** Transaction of the replacement. */
    transactionHash: t.hex().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.campaignIndex, table.testGroup, table.dropped] }),
    byCampaign: index().on(table.campaignIndex, table.sequence),
  }),
);

/** Drawn households that are neither measured nor replaced. */
export const missingPosition = onchainTable(
  "missing_position",
  (t) => ({
    /** Index of the campaign. */
    campaignIndex: t.integer("campaign").notNull(),
    /** `reference` or `intervention`. */
    testGroup: t.text().$type<CampaignGroup>().notNull(),
    /** Position in the group's draw order, from 0. */
    position: t.integer().notNull(),
    /** `refused`, `absent`, `moved`, `ineligible`, `incomplete` or `other`. */
    reason: t.text().$type<DropReason>().notNull(),
    /** SHA-256 of the evidence's URI; zero for none. */
    evidenceHash: t.hex().notNull(),
    /** Chain order, see `activity.sequence`. */
    sequence: t.int8({ mode: "bigint" }).notNull(),
    /** Block of the mark. */
    blockNumber: t.bigint().notNull(),
    /** Time of the mark's block, seconds since 1970. */
    markedAt: t.bigint().notNull(),
    /** Transaction of the mark. */
    transactionHash: t.hex().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.campaignIndex, table.testGroup, table.position] }),
    byCampaign: index().on(table.campaignIndex, table.sequence),
  }),
);

/** Verified measurements of households in a campaign. What was measured is in encrypted files; here are their hashes. */
export const kptClaim = onchainTable(
  "kpt_claim",
  (t) => ({
    /** On-chain id (96 bits): campaign (32), group (1, 1 for intervention), position (31), number (32). */
    id: t.bigint().primaryKey(),
    /** Public id, `KPT-…`. */
    publicId: t.text().notNull(),
    /** Chain order, see `activity.sequence`; lists are paged by it. */
    sequence: t.int8({ mode: "bigint" }).notNull(),
    /** Index of the campaign. */
    campaignIndex: t.integer("campaign").notNull(),
    /** `reference` or `intervention`. */
    testGroup: t.text().$type<CampaignGroup>().notNull(),
    /** Position of the household in the group's draw order, from 0. */
    position: t.integer().notNull(),
    /** Which of the household's claims in the campaign it is, from 1. */
    number: t.int8({ mode: "bigint" }).notNull(),
    /** SHA-256 digest in the CID of the claim's file. */
    claimHash: t.hex().notNull(),
    /** SHA-256 of the compact credential. */
    credentialHash: t.hex().notNull(),
    /** `verified` or `revoked`. */
    status: t.text().$type<KptClaimStatus>().notNull(),
    /** Block of the record. */
    blockNumber: t.bigint().notNull(),
    /** Time of the record's block, seconds since 1970. */
    recordedAt: t.bigint().notNull(),
    /** Transaction of the record. */
    transactionHash: t.hex().notNull(),
    /** Reason of the revocation; null unless revoked. */
    revocationReason: t.text(),
    /** Chain order of the revocation: after its campaign's close, the result still counts the claim; null unless revoked. */
    revocationSequence: t.int8({ mode: "bigint" }),
    /** Time of the revocation, seconds since 1970; null unless revoked. */
    revokedAt: t.bigint(),
    /** Transaction of the revocation; null unless revoked. */
    revocationTransactionHash: t.hex(),
  }),
  (table) => ({
    byPublicId: index().on(table.publicId),
    bySequence: index().on(table.sequence),
    byCampaign: index().on(table.campaignIndex, table.id),
    byStatus: index().on(table.status, table.sequence),
    byCredential: index().on(table.credentialHash),
  }),
);
