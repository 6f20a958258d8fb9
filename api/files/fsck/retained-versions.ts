import { and, asc, eq, gt, like, or, type SQL, sql } from "drizzle-orm";
import type { Database } from "../../platform/db/index.ts";
import { fileKeyGroups } from "../keys/tables.ts";
import { files, fileVersions } from "../records/tables.ts";

/** One retained version, head or history, with everything needed to decrypt it. */
export type RetainedVersion = {
  fileId: string;
  namespace: string;
  /** The listed version number. */
  version: number;
  sealedVersion: number;
  blob: string;
  size: number;
  versionKey: Uint8Array;
  details: Uint8Array;
  fileKey: Uint8Array;
  keyGroup: string;
  secretId: string;
};

const ofFile = {
  namespace: files.namespace,
  fileKey: files.fileKey,
  keyGroup: files.keyGroup,
  secretId: fileKeyGroups.secretId,
};
const headColumns = {
  ...ofFile,
  fileId: files.id,
  version: files.version,
  sealedVersion: files.sealedVersion,
  blob: files.blob,
  size: files.size,
  versionKey: files.versionKey,
  details: files.details,
};
const historyColumns = {
  ...ofFile,
  fileId: fileVersions.fileId,
  version: fileVersions.version,
  sealedVersion: fileVersions.sealedVersion,
  blob: fileVersions.blob,
  size: fileVersions.size,
  versionKey: fileVersions.versionKey,
  details: fileVersions.details,
};

function heads(db: Database, where: SQL | undefined) {
  return db.select(headColumns).from(files).innerJoin(fileKeyGroups, eq(fileKeyGroups.id, files.keyGroup)).where(where);
}

function history(db: Database, where: SQL | undefined) {
  return db
    .select(historyColumns)
    .from(fileVersions)
    .innerJoin(files, eq(files.id, fileVersions.fileId))
    .innerJoin(fileKeyGroups, eq(fileKeyGroups.id, files.keyGroup))
    .where(where);
}

/** Read all retained versions whose blob key begins with `prefix`, in no particular order. */
export async function versionsOfBlobs(db: Database, prefix: string): Promise<RetainedVersion[]> {
  const pattern = `${prefix}%`;
  return [...(await heads(db, like(files.blob, pattern))), ...(await history(db, like(fileVersions.blob, pattern)))];
}

/** Return those of the blobs that a row names now. */
export async function namedBlobs(db: Database, blobs: readonly string[]): Promise<Set<string>> {
  const list = sql`(select jsonb_array_elements_text(${JSON.stringify(blobs)}::jsonb))`;
  const { rows } = await db.execute<{ blob: string }>(
    sql`select blob from files where blob in ${list} union select blob from file_versions where blob in ${list}`,
  );
  return new Set(rows.map(({ blob }) => blob));
}

/** Read the version's current row, if it still names the blob. */
export async function findRetained(db: Database, fileId: string, blob: string): Promise<RetainedVersion | undefined> {
  const [head] = await heads(db, and(eq(files.id, fileId), eq(files.blob, blob)));
  if (head !== undefined) return head;
  const [old] = await history(db, and(eq(fileVersions.fileId, fileId), eq(fileVersions.blob, blob)));
  return old;
}

const pageSize = 500;

/** Read all files in the order of their ids, page by page: each with its versions, history first. */
export async function* filesInOrder(db: Database, after = ""): AsyncGenerator<RetainedVersion[]> {
  let last = after;
  for (;;) {
    const page = await heads(db, gt(files.id, last)).orderBy(asc(files.id)).limit(pageSize);
    const end = page.at(-1)?.fileId;
    if (end === undefined) return;
    const between = and(
      gt(fileVersions.fileId, last),
      or(eq(fileVersions.fileId, end), sql`${fileVersions.fileId} < ${end}`),
    );
    const old = Map.groupBy(await history(db, between), ({ fileId }) => fileId);
    for (const head of page) yield [...(old.get(head.fileId) ?? []), head];
    last = end;
  }
}
