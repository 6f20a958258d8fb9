import { and, asc, eq, inArray, isNull, lte, sql } from "drizzle-orm";
import type { Database, Transaction } from "../../platform/db/index.ts";
import { type PartRow, fileUploadParts as parts, type UploadRow, fileUploads as uploads } from "./tables.ts";

export type UploadOwner = { namespace: string; invoker: string };

/** Rows of resumable uploads. */
export function createUploadStore(db: Database | Transaction) {
  return {
    async insert(row: typeof uploads.$inferInsert): Promise<void> {
      await db.insert(uploads).values(row);
    },
    /** Find the upload if it belongs to this owner. */
    async find(id: string, { namespace, invoker }: UploadOwner): Promise<UploadRow | undefined> {
      const own = and(eq(uploads.id, id), eq(uploads.namespace, namespace), eq(uploads.invoker, invoker));
      const [row] = await db.select().from(uploads).where(own);
      return row;
    },
    /** Count the unfinished uploads of the namespace. */
    openUploads(namespace: string): Promise<number> {
      return db.$count(uploads, and(eq(uploads.namespace, namespace), isNull(uploads.fileId)));
    },
    async parts(id: string): Promise<PartRow[]> {
      const columns = { part: parts.part, blob: parts.blob, size: parts.size };
      return db.select(columns).from(parts).where(eq(parts.uploadId, id)).orderBy(asc(parts.part));
    },
    /** Add a part; returns false if the upload is no longer at `received` bytes. */
    async addPart(id: string, received: number, part: PartRow): Promise<boolean> {
      return db.transaction(async (tx) => {
        const moved = await tx
          .update(uploads)
          .set({ received: received + part.size })
          .where(and(eq(uploads.id, id), eq(uploads.received, received), isNull(uploads.fileId)))
          .returning({ id: uploads.id });
        if (moved.length === 0) return false;
        await tx.insert(parts).values({ uploadId: id, ...part });
        return true;
      });
    },
    /** Set the size; returns false if it is already set. */
    async setSize(id: string, size: number): Promise<boolean> {
      const unsized = and(eq(uploads.id, id), isNull(uploads.size));
      return (await db.update(uploads).set({ size }).where(unsized).returning({ id: uploads.id })).length === 1;
    },
    async unfinished(id: string): Promise<UploadRow | undefined> {
      const [row] = await db
        .select()
        .from(uploads)
        .where(and(eq(uploads.id, id), isNull(uploads.fileId)));
      return row;
    },
    /** Record the file that the upload became, and delete its parts' rows. */
    async finish(id: string, fileId: string, size: number): Promise<void> {
      await db.transaction(async (tx) => {
        await tx.update(uploads).set({ fileId, received: size, size }).where(eq(uploads.id, id));
        await tx.delete(parts).where(eq(parts.uploadId, id));
      });
    },
    /** Delete an upload's row and those of its parts. */
    async remove(id: string): Promise<void> {
      await db.delete(uploads).where(eq(uploads.id, id));
    },
    async expired(now: Date, limit: number): Promise<Pick<UploadRow, "id" | "namespace">[]> {
      const { id, namespace, expiresAt } = uploads;
      return db.select({ id, namespace }).from(uploads).where(lte(expiresAt, now)).limit(limit);
    },
    /** Return those of the blobs that a part names. */
    async knownBlobs(blobs: string[]): Promise<Set<string>> {
      const rows = await db.select({ blob: parts.blob }).from(parts).where(inArray(parts.blob, blobs));
      return new Set(rows.map(({ blob }) => blob));
    },
    /** Return those of the uploads, by lower-case id, that are unfinished. */
    async openIds(ids: string[]): Promise<Set<string>> {
      const lower = sql<string>`lower(${uploads.id})`;
      const rows = await db
        .select({ id: lower })
        .from(uploads)
        .where(and(inArray(lower, ids), isNull(uploads.fileId)));
      return new Set(rows.map(({ id }) => id));
    },
  };
}

export type UploadStore = ReturnType<typeof createUploadStore>;
