import { bigint, index, jsonb, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";

/** A call as it is stored: integers as decimal text. */
export type StoredCouncilCall = { target: string; value: string; data: string };

/**
 * What is proposed to the council and not on chain yet: the bytes that are signed. What became of them the chain says.
 * `operation`: the Safe schedules the calls in the timelock, whose operation id is this row's. `direct`: the Safe makes the one call.
 */
export const governanceProposals = pgTable(
  "governance_proposals",
  {
    id: text("id").primaryKey(),
    kind: text("kind", { enum: ["operation", "direct"] }).notNull(),
    /** The proposer's request without signatures, for the record. */
    action: jsonb("action").$type<Record<string, unknown>>().notNull(),
    calls: jsonb("calls").$type<StoredCouncilCall[]>().notNull(),
    salt: text("salt").notNull(),
    /** Seconds between scheduling and execution; 0 for direct. */
    delay: bigint("delay", { mode: "bigint" }).notNull(),
    proposer: text("proposer").notNull(),
    /** The Safe's number that signers are asked to sign for. */
    nonce: bigint("nonce", { mode: "bigint" }).notNull(),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
    /** Approvals are taken until then. */
    expiresAt: timestamp("expires_at", { withTimezone: true }).notNull(),
    /** Who took it back before it was scheduled, and the EIP-712 signature by which. */
    withdrawnBy: text("withdrawn_by"),
    withdrawal: text("withdrawal"),
    withdrawnAt: timestamp("withdrawn_at", { withTimezone: true }),
  },
  (table) => [index("governance_proposals_created").on(table.createdAt)],
);

/** Signatures of the council's members, one for each number of the Safe that they signed for. */
export const governanceApprovals = pgTable(
  "governance_approvals",
  {
    proposalId: text("proposal_id")
      .notNull()
      .references(() => governanceProposals.id, { onDelete: "cascade" }),
    signer: text("signer").notNull(),
    nonce: bigint("nonce", { mode: "bigint" }).notNull(),
    safeTxHash: text("safe_tx_hash").notNull(),
    /** Of the Safe's transaction. Never shown while approvals are collected: enough of them are the decision. */
    signature: text("signature").notNull(),
    /** Of the statement in words, and the statement as it was signed. */
    statementSignature: text("statement_signature").notNull(),
    statement: jsonb("statement").$type<Record<string, unknown>>().notNull(),
    signedAt: timestamp("signed_at", { withTimezone: true }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.proposalId, table.signer, table.nonce] }),
    index("governance_approvals_hash").on(table.safeTxHash),
  ],
);

export type ProposalRow = typeof governanceProposals.$inferSelect;
export type ApprovalRow = typeof governanceApprovals.$inferSelect;
