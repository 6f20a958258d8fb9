import { eq } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { type ClaimCredentialRow, claimCredentials } from "./tables.ts";

export function openClaimStore(db: Database) {
  return {
    /** Keep a verified credential; a second time is harmless. */
    async saveCredential(row: ClaimCredentialRow): Promise<void> {
      await db.insert(claimCredentials).values(row).onConflictDoNothing();
    },
    async credentialByHash(hash: string): Promise<ClaimCredentialRow | null> {
      return (await db.select().from(claimCredentials).where(eq(claimCredentials.credentialHash, hash)))[0] ?? null;
    },
  };
}
export type ClaimStore = ReturnType<typeof openClaimStore>;
