import { and, eq } from "drizzle-orm";
import type { Database } from "../../platform/db/index.ts";
import { type ClaimCredentialRow, claimCredentials, claimDisputes } from "./tables.ts";

export function openClaimStore(db: Database) {
  return {
    /** Store a verified credential; repeating it changes nothing. */
    async saveCredential(row: ClaimCredentialRow): Promise<void> {
      await db.insert(claimCredentials).values(row).onConflictDoNothing();
    },
    async credentialByHash(hash: string): Promise<ClaimCredentialRow | null> {
      return (await db.select().from(claimCredentials).where(eq(claimCredentials.credentialHash, hash)))[0] ?? null;
    },
    /** Store who raises a dispute, before the transaction is sent; repeating it changes nothing. */
    async saveDispute(row: typeof claimDisputes.$inferInsert): Promise<void> {
      await db.insert(claimDisputes).values(row).onConflictDoNothing();
    },
    async hasRaisedDispute(claimId: string, raisedBy: string): Promise<boolean> {
      const isTheirs = and(eq(claimDisputes.claimId, claimId), eq(claimDisputes.raisedBy, raisedBy));
      return (await db.select().from(claimDisputes).where(isTheirs)).length > 0;
    },
  };
}
export type ClaimStore = ReturnType<typeof openClaimStore>;
