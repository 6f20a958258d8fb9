import { and, asc, eq, gt } from "drizzle-orm";
import type { Database } from "../../platform/db/index.ts";
import { type ClaimCredentialRow, claimCredentials, claimDisputes } from "./tables.ts";

const tokensPerPage = 500;

export function openClaimStore(db: Database) {
  return {
    /** Store a verified credential; repeating it changes nothing. */
    async saveCredential(row: ClaimCredentialRow): Promise<void> {
      await db.insert(claimCredentials).values(row).onConflictDoNothing();
    },
    async credentialByHash(hash: string): Promise<ClaimCredentialRow | null> {
      return (await db.select().from(claimCredentials).where(eq(claimCredentials.credentialHash, hash)))[0] ?? null;
    },
    /** Every stored credential's compact token. */
    async *tokens(): AsyncGenerator<string> {
      for (let after = ""; ; ) {
        const page = await db
          .select({ hash: claimCredentials.credentialHash, token: claimCredentials.token })
          .from(claimCredentials)
          .where(gt(claimCredentials.credentialHash, after))
          .orderBy(asc(claimCredentials.credentialHash))
          .limit(tokensPerPage);
        yield* page.map(({ token }) => token);
        const last = page.at(-1);
        if (last === undefined || page.length < tokensPerPage) return;
        after = last.hash;
      }
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
