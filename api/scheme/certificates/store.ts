import { and, asc, eq, gt } from "drizzle-orm";
import type { Database } from "../../platform/db/index.ts";
import { CHUNK_BYTES, chunkOf } from "./allocation-tree.ts";
import {
  allocationChunks,
  type CertificateRow,
  certificateCredentials,
  certificateDrafts,
  certificates,
} from "./tables.ts";

export type CertificateDraft = typeof certificateDrafts.$inferSelect;
export type CertificateCredential = typeof certificateCredentials.$inferSelect;

const CHUNKS_PER_STATEMENT = 100;

export function openCertificateStore(db: Database) {
  return {
    async byId(certificateId: string): Promise<CertificateRow | null> {
      return (await db.select().from(certificates).where(eq(certificates.certificateId, certificateId)))[0] ?? null;
    },
    async byIndex(index: number): Promise<CertificateRow | null> {
      return (await db.select().from(certificates).where(eq(certificates.certificate, index)))[0] ?? null;
    },
    async storedIndexes(): Promise<number[]> {
      const rows = await db
        .select({ index: certificates.certificate })
        .from(certificates)
        .orderBy(asc(certificates.certificate));
      return rows.map(({ index }) => index);
    },
    /** At most `limit` rows after an index, in the order of registration; of one implementer if its index is given. */
    async listAfter(index: number, limit: number, implementer?: number): Promise<CertificateRow[]> {
      const later = gt(certificates.certificate, index);
      const own = implementer === undefined ? later : and(later, eq(certificates.implementer, implementer));
      return db.select().from(certificates).where(own).orderBy(asc(certificates.certificate)).limit(limit);
    },
    async save(row: CertificateRow): Promise<void> {
      await db.insert(certificates).values(row).onConflictDoNothing();
    },
    /** Read the packed leaves of a complete allocation; empty when they are not stored here. */
    async leavesOf(certificate: number): Promise<Uint8Array> {
      const rows = await db
        .select({ leaves: allocationChunks.leaves })
        .from(allocationChunks)
        .where(eq(allocationChunks.certificate, certificate))
        .orderBy(asc(allocationChunks.chunk));
      return new Uint8Array(Buffer.concat(rows.map((row) => row.leaves)));
    },
    async saveLeaves(certificate: number, packed: Uint8Array): Promise<void> {
      const chunks = Array.from({ length: Math.ceil(packed.length / CHUNK_BYTES) }, (_, chunk) => ({
        certificate,
        chunk,
        leaves: chunkOf(packed, chunk),
      }));
      for (let i = 0; i < chunks.length; i += CHUNKS_PER_STATEMENT) {
        await db
          .insert(allocationChunks)
          .values(chunks.slice(i, i + CHUNKS_PER_STATEMENT))
          .onConflictDoNothing();
      }
    },
    async draft(draftId: string): Promise<CertificateDraft | null> {
      return (await db.select().from(certificateDrafts).where(eq(certificateDrafts.draftId, draftId)))[0] ?? null;
    },
    async saveDraft(draft: CertificateDraft): Promise<void> {
      await db.insert(certificateDrafts).values(draft).onConflictDoNothing();
    },
    async credential(credentialHash: string): Promise<CertificateCredential | null> {
      const same = eq(certificateCredentials.credentialHash, credentialHash);
      return (await db.select().from(certificateCredentials).where(same))[0] ?? null;
    },
    async saveCredential(credential: CertificateCredential): Promise<void> {
      const { credentialHash, ...rest } = credential;
      const target = { target: certificateCredentials.credentialHash, set: rest };
      await db.insert(certificateCredentials).values(credential).onConflictDoUpdate(target);
    },
  };
}
export type CertificateStore = ReturnType<typeof openCertificateStore>;
