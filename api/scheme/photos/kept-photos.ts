import { and, asc, eq, inArray, lt, min, ne, sql } from "drizzle-orm";
import type { Database } from "../../platform/db/index.ts";
import { AppError } from "../../platform/errors.ts";
import type { Actor } from "../../platform/http/index.ts";
import { type KeptPhotoRow, keptPhotos, photoFacts } from "./tables.ts";

/** A photo that no record was found for yet. `linkHash`: as records name it; null where it was not stored. */
export type UnusedPhoto = { sha256: string; linkHash: string | null };

/** Whose quota a caller's photos count to: the implementer's with all its keys, or that of the key. */
export const senderOf = ({ implementerDid, keyId }: Actor): string => implementerDid ?? keyId;

/**
 * Count a photo to its sender's quota before it is stored. The same photo of the same sender counts once.
 * @param quota most bytes of a sender's photos; undefined for no limit
 * @throws AppError TOO_LARGE
 */
export async function reservePhoto(
  db: Database,
  row: Omit<KeptPhotoRow, "isEvidence">,
  quota: number | undefined,
): Promise<void> {
  await db.transaction(async (tx) => {
    // Photos of one sender are counted one after the other.
    await tx.execute(sql`select pg_advisory_xact_lock(hashtext('kept photos'), hashtext(${row.sender}))`);
    const others = and(eq(keptPhotos.sender, row.sender), ne(keptPhotos.sha256, row.sha256));
    const [found] = await tx.select({ used: sql<string>`coalesce(sum(size), 0)` }).from(keptPhotos).where(others);
    const used = Number(found?.used ?? 0);
    if (quota !== undefined && used + row.size > quota) throw overQuota(quota, used);
    // One that is sent again is needed: its days begin again.
    const target = [keptPhotos.sha256, keptPhotos.sender];
    await tx
      .insert(keptPhotos)
      .values(row)
      .onConflictDoUpdate({ target, set: { sentAt: row.sentAt } });
  });
}

/** Photos of which every sender's was sent before a time and no record is known, oldest first. */
export async function unusedPhotos(db: Database, before: Date, limit: number): Promise<UnusedPhoto[]> {
  const isUnused = and(
    eq(keptPhotos.isEvidence, false),
    lt(keptPhotos.sentAt, before),
    sql`not exists (select from ${keptPhotos} later where later.sha256 = ${keptPhotos.sha256}
      and (later.is_evidence or later.sent_at >= ${before.toISOString()}::timestamptz))`,
  );
  return db
    .select({ sha256: keptPhotos.sha256, linkHash: photoFacts.linkHash })
    .from(keptPhotos)
    .leftJoin(photoFacts, eq(photoFacts.sha256, keptPhotos.sha256))
    .where(isUnused)
    .groupBy(keptPhotos.sha256, photoFacts.linkHash)
    .orderBy(asc(min(keptPhotos.sentAt)), asc(keptPhotos.sha256))
    .limit(limit);
}

/** Record that records name these photos. */
export async function noteEvidence(db: Database, sha256: readonly string[]): Promise<void> {
  if (sha256.length === 0) return;
  await db
    .update(keptPhotos)
    .set({ isEvidence: true })
    .where(inArray(keptPhotos.sha256, [...sha256]));
}

/** Forget a photo whose file was destroyed, and what its EXIF data said. */
export async function forgetPhoto(db: Database, sha256: string): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.delete(keptPhotos).where(eq(keptPhotos.sha256, sha256));
    await tx.delete(photoFacts).where(eq(photoFacts.sha256, sha256));
  });
}

function overQuota(quota: number, used: number): AppError {
  const message = `The quota of ${quota} bytes for photos of one sender would be exceeded: ${used} bytes are in use.`;
  return new AppError("TOO_LARGE", message, { details: [{ path: "body", rule: "sender-quota", message }] });
}
