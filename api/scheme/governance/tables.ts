import { bigint, index, jsonb, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";

/** A call as it is stored: integers as decimal text. */
export type StoredCouncilCall = { target: string; value: string; data: string };

/**
 * Proposals to the council before they are on chain: the bytes to sign. Their later state is read from the chain.
 * `operation`: the Safe schedules the calls in the timelock; the row's id is the operation's. `direct`: the Safe makes
 * the one call.
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
    /** The Safe's number that approvals are collected for. */
    nonce: bigint("nonce", { mode: "bigint" }).notNull(),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
    /** Approvals are accepted until then. */
    expiresAt: timestamp("expires_at", { withTimezone: true }).notNull(),
    /** Who withdrew it before it was scheduled, with the EIP-712 signature. */
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
    /** Of the Safe's transaction. Never shown while approvals are collected: enough of them would execute it. */
    signature: text("signature").notNull(),
    /** Of the statement, and the statement as it was signed. */
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
