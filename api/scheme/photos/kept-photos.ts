import { and, asc, eq, inArray, lt, min, ne, notExists, notInArray, sql } from "drizzle-orm";
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
 * @returns false when it counted already
 * @throws AppError TOO_LARGE
 */
export async function reservePhoto(
  db: Database,
  row: Omit<KeptPhotoRow, "isEvidence">,
  quota: number | undefined,
): Promise<boolean> {
  return await db.transaction(async (tx) => {
    // Photos of one sender are counted one after the other.
    await tx.execute(sql`select pg_advisory_xact_lock(hashtext('kept photos'), hashtext(${row.sender}))`);
    const isSame = and(eq(keptPhotos.sender, row.sender), eq(keptPhotos.sha256, row.sha256));
    const others = and(eq(keptPhotos.sender, row.sender), ne(keptPhotos.sha256, row.sha256));
    const [found] = await tx.select({ used: sql<string>`coalesce(sum(size), 0)` }).from(keptPhotos).where(others);
    const used = Number(found?.used ?? 0);
    if (quota !== undefined && used + row.size > quota) throw overQuota(quota, used);
    // One that is sent again is needed: its days begin again.
    const again = await tx
      .update(keptPhotos)
      .set({ sentAt: row.sentAt })
      .where(isSame)
      .returning({ size: keptPhotos.size });
    if (again.length === 0) await tx.insert(keptPhotos).values(row);
    return again.length === 0;
  });
}

/** Take back what was counted for a photo that could not be stored, unless it was sent again meanwhile. */
export async function giveBackPhoto(db: Database, row: Omit<KeptPhotoRow, "isEvidence">): Promise<void> {
  const { sha256, sender, sentAt } = keptPhotos;
  const isRow = and(eq(sha256, row.sha256), eq(sender, row.sender), eq(sentAt, row.sentAt));
  await db.delete(keptPhotos).where(isRow);
}

/** A photo of which every sender's was sent before a time and no record is known. */
const isUnused = (before: Date) =>
  and(
    eq(keptPhotos.isEvidence, false),
    lt(keptPhotos.sentAt, before),
    sql`not exists (select from ${keptPhotos} later where later.sha256 = ${keptPhotos.sha256}
      and (later.is_evidence or later.sent_at >= ${before.toISOString()}::timestamptz))`,
  );

/** Photos of which every sender's was sent before a time and no record is known, oldest first. */
export async function unusedPhotos(
  db: Database,
  before: Date,
  { limit, except = [], among }: { limit?: number; except?: readonly string[]; among?: readonly string[] },
): Promise<UnusedPhoto[]> {
  const { sha256, sentAt } = keptPhotos;
  const isAsked = among === undefined ? notInArray(sha256, [...except]) : inArray(sha256, [...among]);
  const found = db
    .select({ sha256, linkHash: photoFacts.linkHash })
    .from(keptPhotos)
    .leftJoin(photoFacts, eq(photoFacts.sha256, sha256))
    .where(and(isUnused(before), isAsked))
    .groupBy(sha256, photoFacts.linkHash)
    .orderBy(asc(min(sentAt)), asc(sha256));
  return await (limit === undefined ? found : found.limit(limit));
}

/** Record that records name these photos. */
export async function noteEvidence(db: Database, sha256: readonly string[]): Promise<void> {
  if (sha256.length === 0) return;
  await db
    .update(keptPhotos)
    .set({ isEvidence: true })
    .where(inArray(keptPhotos.sha256, [...sha256]));
}

/** Forget a photo whose file was destroyed, and what its EXIF data said, unless it was sent again. */
export async function forgetPhoto(db: Database, sha256: string, before: Date): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.delete(keptPhotos).where(and(eq(keptPhotos.sha256, sha256), isUnused(before)));
    const isKept = tx.select({ sha256: keptPhotos.sha256 }).from(keptPhotos).where(eq(keptPhotos.sha256, sha256));
    await tx.delete(photoFacts).where(and(eq(photoFacts.sha256, sha256), notExists(isKept)));
  });
}

function overQuota(quota: number, used: number): AppError {
  const message = `The quota of ${quota} bytes for photos of one sender would be exceeded: ${used} bytes are in use.`;
  return new AppError("TOO_LARGE", message, { details: [{ path: "body", rule: "sender-quota", message }] });
}
