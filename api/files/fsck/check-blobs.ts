import { sql } from "drizzle-orm";
import type { BlobEntry } from "../blobs/blob-store.ts";
import { sealedSize } from "../content/segments.ts";
import type { Check } from "./report.ts";
import { findRetained, namedBlobs, type RetainedVersion, versionsOfBlobs } from "./retained-versions.ts";

const contentPrefix = "content/";
/** Most rows that one pass keeps in memory. */
const rowsPerPass = 50_000;

export type BlobCounts = { blobs: number; versions: number; young: number };

/**
 * Compare blobs with the rows that name them, in both directions. It reads rows before blobs, because a write stores its blob
 * first. It checks every suspected fault twice, so that writers may continue meanwhile.
 */
export async function checkBlobs(check: Check): Promise<BlobCounts> {
  const counts: BlobCounts = { blobs: 0, versions: 0, young: 0 };
  for (const prefix of await passes(check)) {
    check.signal?.throwIfAborted();
    const rows = Map.groupBy(await versionsOfBlobs(check.deps.db, prefix), ({ blob }) => blob);
    counts.versions += rows.size;
    let unnamed: BlobEntry[] = [];
    for await (const entry of check.deps.files.blobs.list(prefix)) {
      counts.blobs += 1;
      const [version] = rows.get(entry.key) ?? [];
      rows.delete(entry.key);
      if (version === undefined) unnamed.push(entry);
      else if (entry.size !== sealedSize(version.size)) await reportLength(check, version, entry.size);
      if (unnamed.length < 1000) continue;
      counts.young += await checkUnnamed(check, unnamed);
      unnamed = [];
    }
    counts.young += await checkUnnamed(check, unnamed);
    for (const [version] of rows.values()) if (version !== undefined) await reportMissing(check, version);
  }
  return counts;
}

/** Key prefixes that split the rows into parts that fit into memory. Keys are random, so the parts have similar sizes. */
async function passes({ deps }: Check): Promise<string[]> {
  const { rows } = await deps.db.execute<{ rows: number | string }>(
    sql`select (select count(*) from files) + (select count(*) from file_versions) as rows`,
  );
  const digits = Math.ceil(Math.log(Math.max(1, Number(rows[0]?.rows ?? 0) / rowsPerPass)) / Math.log(16));
  return Array.from(
    { length: 16 ** digits },
    (_, i) => contentPrefix + (digits === 0 ? "" : i.toString(16).padStart(digits, "0")),
  );
}

/** Report the unnamed blobs that are old enough to be orphans. @returns the number of younger ones */
async function checkUnnamed(check: Check, entries: readonly BlobEntry[]): Promise<number> {
  const { db, files } = check.deps;
  const old = entries.filter(({ modifiedAt }) => Date.now() - modifiedAt.getTime() >= check.graceMs);
  const named =
    old.length === 0
      ? new Set()
      : await namedBlobs(
          db,
          old.map(({ key }) => key),
        );
  for (const { key } of old) {
    if (named.has(key)) continue;
    const message = `Blob ${key} belongs to no version.`;
    await check.found({ kind: "blob-orphaned", blob: key, message }, () => files.blobs.delete(key));
  }
  return entries.length - old.length;
}

async function reportMissing(check: Check, version: RetainedVersion): Promise<void> {
  const { fileId, blob } = version;
  const current = await findRetained(check.deps.db, fileId, blob);
  if (current === undefined || (await check.deps.files.blobs.stat(blob)) !== undefined) return;
  await check.found({
    kind: "blob-missing",
    ...placeOf(current),
    message: `${describeVersion(current)} has no blob ${blob}.`,
  });
}

async function reportLength(check: Check, version: RetainedVersion, size: number): Promise<void> {
  const expected = sealedSize(version.size);
  const message = `The blob of ${describeVersion(version)} has ${size} bytes instead of ${expected}.`;
  await check.found({ kind: "blob-length", ...placeOf(version), message });
}

export function placeOf({ namespace, fileId, version, blob }: RetainedVersion) {
  return { namespace, fileId, version, blob };
}

export function describeVersion({ fileId, version }: RetainedVersion): string {
  return `version ${version} of file ${fileId}`;
}
