import { setImmediate as yieldToOthers } from "node:timers/promises";
import { eq, sql } from "drizzle-orm";
import type { Transaction } from "../../platform/db/index.ts";
import { parseCid } from "../../platform/ucan/index.ts";
import type { FileKeys, Rotation } from "../keys/file-keys.ts";
import type { FileKey } from "../keys/key-types.ts";
import { KeyWrapError } from "../keys/key-wrap.ts";
import { randomTag } from "../keys/lookup-tags.ts";
import { DamagedFileError } from "../records/damaged-file.ts";
import { detailsOf } from "../records/find-file.ts";
import { type ContentRow, files, fileVersions } from "../records/tables.ts";
import { retagWords } from "../search/word-index.ts";

/** Number of rows after which this yields to other work, because decryption takes processor time. */
const rowsPerTurn = 200;

/**
 * Convert the remaining files of a key group to its new secret: rewrap their keys and recompute all tags, so that no row contains
 * anything derived from the old secret. A damaged row stays damaged and gets random tags.
 */
export async function rewrapGroup(fileKeys: FileKeys, tx: Transaction, rotation: Rotation): Promise<void> {
  const { groupId, tagger } = rotation;
  const keys = await rewrapHeads(tx, rotation);
  await retagWords(tx, { groupId, keys: fileKeys, open: (fileId) => keys.get(fileId), tagger });
  const history = await tx
    .select({
      fileId: fileVersions.fileId,
      version: fileVersions.version,
      sealedVersion: fileVersions.sealedVersion,
      details: fileVersions.details,
    })
    .from(fileVersions)
    .innerJoin(files, eq(files.id, fileVersions.fileId))
    .where(eq(files.keyGroup, rotation.groupId));
  const tags = await inTurns(history, (row) => {
    const { fileId, version } = row;
    return { file_id: fileId, version, cid_tag: tagOf(rotation, keys.get(fileId), fileId, row) };
  });
  if (tags.length === 0) return;
  await tx.execute(sql`
    update file_versions set cid_tag = decode(given.cid_tag, 'base64')
    from jsonb_to_recordset(${JSON.stringify(tags)}::jsonb) as given(file_id text, version int, cid_tag text)
    where file_versions.file_id = given.file_id and file_versions.version = given.version`);
}

/** @returns the keys of the remaining files, without damaged ones */
async function rewrapHeads(tx: Transaction, rotation: Rotation): Promise<Map<string, FileKey>> {
  const keys = new Map<string, FileKey>();
  const rows = await tx
    .select({ id: files.id, fileKey: files.fileKey, sealedVersion: files.sealedVersion, details: files.details })
    .from(files)
    .where(eq(files.keyGroup, rotation.groupId));
  const rewrapped = await inTurns(rows, (row) => {
    const { key, wrapped } = rewrap(rotation, row.fileKey);
    if (key !== undefined) keys.set(row.id, key);
    return { id: row.id, file_key: wrapped.toString("base64"), cid_tag: tagOf(rotation, key, row.id, row) };
  });
  if (rewrapped.length === 0) return keys;
  await tx.execute(sql`
    update files set file_key = decode(given.file_key, 'base64'), cid_tag = decode(given.cid_tag, 'base64')
    from jsonb_to_recordset(${JSON.stringify(rewrapped)}::jsonb) as given(id text, file_key text, cid_tag text)
    where files.id = given.id`);
  return keys;
}

type Sealed = Pick<ContentRow, "sealedVersion" | "details">;

/** A key that cannot be unwrapped is left unchanged: it is unreadable with either secret. */
function rewrap(rotation: Rotation, fileKey: Uint8Array): { key?: FileKey; wrapped: Buffer } {
  try {
    return rotation.rewrap(fileKey);
  } catch (error) {
    if (!(error instanceof KeyWrapError)) throw error;
    return { wrapped: Buffer.from(fileKey) };
  }
}

function tagOf({ tagger }: Rotation, key: FileKey | undefined, fileId: string, row: Sealed): string {
  try {
    const tag = key === undefined ? randomTag() : tagger.cid(parseCid(detailsOf(key, fileId, row).cid).key);
    return tag.toString("base64");
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error;
    return randomTag().toString("base64");
  }
}

async function inTurns<Row, Result>(rows: readonly Row[], work: (row: Row) => Result): Promise<Result[]> {
  const results: Result[] = [];
  for (const [i, row] of rows.entries()) {
    if (i > 0 && i % rowsPerTurn === 0) await yieldToOthers();
    results.push(work(row));
  }
  return results;
}
