import { and, asc, eq, gt, gte, inArray, isNull } from "drizzle-orm";
import type { Hex } from "viem";
import type { Database } from "../../platform/db/index.ts";
import { type ApprovalRow, governanceApprovals, governanceProposals, type ProposalRow } from "./tables.ts";

export type StoredProposal = ProposalRow & { approvals: ApprovalRow[] };

/** Open the rows of proposals and approvals; it checks no rules. */
export function openGovernanceStore(db: Database) {
  return {
    async byId(id: Hex): Promise<StoredProposal | null> {
      const [row] = await db.select().from(governanceProposals).where(eq(governanceProposals.id, id));
      return row === undefined ? null : ((await withApprovals(db, [row]))[0] ?? null);
    },
    async all(): Promise<StoredProposal[]> {
      return await withApprovals(db, await db.select().from(governanceProposals));
    },
    /** List the proposals that may still be approved at a time. */
    async collecting(now: Date): Promise<StoredProposal[]> {
      const open = and(isNull(governanceProposals.withdrawnAt), gt(governanceProposals.expiresAt, now));
      return await withApprovals(db, await db.select().from(governanceProposals).where(open));
    },
    /** List the proposals that were made since a time and not withdrawn. */
    madeSince(since: Date): Promise<{ id: string; createdAt: Date }[]> {
      const open = and(isNull(governanceProposals.withdrawnAt), gte(governanceProposals.createdAt, since));
      return db
        .select({ id: governanceProposals.id, createdAt: governanceProposals.createdAt })
        .from(governanceProposals)
        .where(open);
    },
    /** Store a proposal with its proposer's approval; an existing one stays unchanged. */
    async save(row: typeof governanceProposals.$inferInsert, approval: ApprovalRow): Promise<void> {
      await db.transaction(async (tx) => {
        await tx.insert(governanceProposals).values(row).onConflictDoNothing();
        await tx.insert(governanceApprovals).values(approval).onConflictDoNothing();
      });
    },
    /** Store an approval; with `moves`, the proposal takes the approval's number. */
    async approve(approval: ApprovalRow, { moves }: { moves: boolean }): Promise<void> {
      await db.transaction(async (tx) => {
        await tx.insert(governanceApprovals).values(approval).onConflictDoNothing();
        const { proposalId, nonce } = approval;
        if (moves) await tx.update(governanceProposals).set({ nonce }).where(eq(governanceProposals.id, proposalId));
      });
    },
    async withdraw(id: Hex, by: { withdrawnBy: string; withdrawal: string; withdrawnAt: Date }): Promise<void> {
      const open = and(eq(governanceProposals.id, id), isNull(governanceProposals.withdrawnAt));
      await db.update(governanceProposals).set(by).where(open);
    },
  };
}
export type GovernanceStore = ReturnType<typeof openGovernanceStore>;

async function withApprovals(db: Database, rows: ProposalRow[]): Promise<StoredProposal[]> {
  if (rows.length === 0) return [];
  const approvals = await db
    .select()
    .from(governanceApprovals)
    .where(
      inArray(
        governanceApprovals.proposalId,
        rows.map(({ id }) => id),
      ),
    )
    .orderBy(asc(governanceApprovals.signedAt));
  return rows.map((row) => ({ ...row, approvals: approvals.filter(({ proposalId }) => proposalId === row.id) }));
}
