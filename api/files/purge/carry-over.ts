import { setImmediate as breathe } from "node:timers/promises";
import { eq, sql } from "drizzle-orm";
import type { Transaction } from "../../db/client.ts";
import { parseCid } from "../content/cid.ts";
import { detailsOf } from "../find.ts";
import type { FileKeys, Rotation } from "../keys/file-keys.ts";
import type { FileKey } from "../keys/key-kinds.ts";
import { type ContentRow, files, fileVersions } from "../tables.ts";
import { retagWords } from "../tree/word-index.ts";

/** Rows after which others get a turn: opening details is work for the processor. */
const rowsPerTurn = 200;

/**
 * Move the files that stay in a key group to its new secret: wrap their keys anew, and make every tag anew, so that nothing that
 * the old secret made is left in a living row.
 */
export async function carryOver(fileKeys: FileKeys, tx: Transaction, rotation: Rotation): Promise<void> {
  const { groupId, tagger } = rotation;
  const keys = await rewrapFiles(tx, rotation);
  await retagWords(tx, { groupId, keys: fileKeys, open: (fileId) => keyOf(keys, fileId), tagger });
  const history = await tx
    .select({
      ...{ fileId: fileVersions.fileId, version: fileVersions.version },
      ...{ sealedVersion: fileVersions.sealedVersion, details: fileVersions.details },
    })
    .from(fileVersions)
    .innerJoin(files, eq(files.id, fileVersions.fileId))
    .where(eq(files.keyGroup, rotation.groupId));
  const tags = await inTurns(history, (row) => {
    const { fileId, version } = row;
    return { file_id: fileId, version, cid_tag: tagOf(rotation, keyOf(keys, fileId), fileId, row) };
  });
  if (tags.length === 0) return;
  await tx.execute(sql`
    update file_versions set cid_tag = decode(given.cid_tag, 'base64')
    from jsonb_to_recordset(${JSON.stringify(tags)}::jsonb) as given(file_id text, version int, cid_tag text)
    where file_versions.file_id = given.file_id and file_versions.version = given.version`);
}

/** @returns the key of each file that stays */
async function rewrapFiles(tx: Transaction, rotation: Rotation): Promise<Map<string, FileKey>> {
  const keys = new Map<string, FileKey>();
  const rows = await tx
    .select({ id: files.id, fileKey: files.fileKey, sealedVersion: files.sealedVersion, details: files.details })
    .from(files)
    .where(eq(files.keyGroup, rotation.groupId));
  const rewrapped = await inTurns(rows, (row) => {
    const { key, wrapped } = rotation.rewrap(row.fileKey);
    keys.set(row.id, key);
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

function tagOf({ tagger }: Rotation, key: FileKey, fileId: string, row: Sealed): string {
  return tagger.cid(parseCid(detailsOf(key, fileId, row).cid).key).toString("base64");
}

function keyOf(keys: Map<string, FileKey>, fileId: string): FileKey {
  const key = keys.get(fileId);
  if (key === undefined) throw new Error("A version's file is not in its key group.");
  return key;
}

async function inTurns<Row, Result>(rows: readonly Row[], work: (row: Row) => Result): Promise<Result[]> {
  const results: Result[] = [];
  for (const [i, row] of rows.entries()) {
    if (i > 0 && i % rowsPerTurn === 0) await breathe();
    results.push(work(row));
  }
  return results;
}
