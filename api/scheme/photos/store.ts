import { eq, inArray, or, sql } from "drizzle-orm";
import type { Database } from "../../platform/db/index.ts";
import { type PhotoRow, photoFacts } from "./tables.ts";

/** What a record says of a piece of its evidence: the SHA-256 of its link, and that of its bytes where it is known. */
export type PhotoMarks = { sha256: string | null; linkHash: string | null };

/** The photos among some pieces of evidence whose EXIF data are known. */
export type KnownPhotos = { find: (marks: PhotoMarks) => PhotoRow | undefined };

/** Photos for which one query asks. */
const batch = 5_000;

/** Store what was read of a photo. What is known of it stays. */
export async function savePhoto(db: Database, row: PhotoRow): Promise<void> {
  const set = {
    linkHash: sql`coalesce(${photoFacts.linkHash}, excluded.link_hash)`,
    takenAt: sql`coalesce(${photoFacts.takenAt}, excluded.taken_at)`,
    latitude: sql`coalesce(${photoFacts.latitude}, excluded.latitude)`,
    longitude: sql`coalesce(${photoFacts.longitude}, excluded.longitude)`,
    device: sql`coalesce(${photoFacts.device}, excluded.device)`,
  };
  await db.insert(photoFacts).values(row).onConflictDoUpdate({ target: photoFacts.sha256, set });
}

/** Read a photo's data by the SHA-256 of its bytes. */
export async function photoBySha256(db: Database, sha256: string): Promise<PhotoRow | undefined> {
  return (await db.select().from(photoFacts).where(eq(photoFacts.sha256, sha256)))[0];
}

/**
 * Find the EXIF data of pieces of evidence: by the link of a kept photo, whatever SHA-256 the record states with it, or else by their
 * bytes.
 */
export async function knownPhotos(db: Database, pieces: readonly PhotoMarks[]): Promise<KnownPhotos> {
  const byBytes = new Map<string, PhotoRow>();
  const byLink = new Map<string, PhotoRow>();
  for (let i = 0; i < pieces.length; i += batch) {
    const some = pieces.slice(i, i + batch);
    const isMeant = or(
      inArray(photoFacts.sha256, present(some.map(({ sha256 }) => sha256))),
      inArray(photoFacts.linkHash, present(some.map(({ linkHash }) => linkHash))),
    );
    for (const row of await db.select().from(photoFacts).where(isMeant)) {
      byBytes.set(row.sha256, row);
      if (row.linkHash !== null) byLink.set(row.linkHash, row);
    }
  }
  return { find: ({ sha256, linkHash }) => byLink.get(linkHash ?? "") ?? byBytes.get(sha256 ?? "") };
}

const present = (texts: readonly (string | null)[]) => texts.filter((text) => text !== null);
