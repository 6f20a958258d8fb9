import { eq, sql } from "drizzle-orm";
import { SecretGoneError, secretsPrefix } from "../keys/group-secrets.ts";
import type { FileKey } from "../keys/key-types.ts";
import { openDetails } from "../keys/sealed-details.ts";
import { fileKeyGroups, retiredSecrets } from "../keys/tables.ts";
import { detailsContext } from "../records/find-file.ts";
import { files } from "../records/tables.ts";
import { describeVersion, placeOf } from "./check-blobs.ts";
import type { Check } from "./report.ts";
import { filesInOrder, findRetained, type RetainedVersion } from "./retained-versions.ts";

/** Check that every file's key can be decrypted, and with it every version's key and details. */
export async function checkKeys(check: Check): Promise<{ files: number }> {
  let count = 0;
  for await (const versions of filesInOrder(check.deps.db)) {
    check.signal?.throwIfAborted();
    count += 1;
    const problem = await problemWith(check, versions);
    if (problem === undefined) continue;
    // A concurrent purge may have replaced the group's secret since the row was read.
    const { fileId, blob } = problem.version;
    const current = await findRetained(check.deps.db, fileId, blob);
    if (current === undefined || (await problemWith(check, [current])) === undefined) continue;
    await check.found({ kind: problem.kind, ...placeOf(current), message: problem.message });
  }
  return { files: count };
}

type Problem = { kind: "secret-missing" | "key-unreadable"; version: RetainedVersion; message: string };

async function problemWith({ deps }: Check, versions: readonly RetainedVersion[]): Promise<Problem | undefined> {
  const [first] = versions;
  if (first === undefined) return undefined;
  const { keys } = deps.files;
  let key: FileKey;
  try {
    key = await keys.openFileKey(first, first.fileKey);
  } catch (error) {
    const isGone = error instanceof SecretGoneError;
    const what = isGone ? `the secret of its key group ${first.keyGroup} is missing` : "it cannot be decrypted";
    return {
      kind: isGone ? "secret-missing" : "key-unreadable",
      version: first,
      message: `The key of file ${first.fileId} is lost: ${what}.`,
    };
  }
  for (const version of versions) {
    try {
      keys.openVersionKey(key, version.versionKey);
      openDetails(key, detailsContext(version.fileId, version.sealedVersion), version.details);
    } catch {
      const message = `The key or the details of ${describeVersion(version)} cannot be decrypted.`;
      return { kind: "key-unreadable", version, message };
    }
  }
  return undefined;
}

/** Compare the stored secrets with the groups that name them. Destroy unnamed ones only if `mayDestroy`. */
export async function checkSecrets(check: Check, mayDestroy: boolean): Promise<{ groups: number; young: number }> {
  const { db, files: parts } = check.deps;
  const named = await namedSecrets(check);
  const retired = new Set((await db.select().from(retiredSecrets)).map(({ secretId }) => secretId));
  let young = 0;
  for await (const { key, modifiedAt } of parts.blobs.list(secretsPrefix)) {
    const id = key.slice(secretsPrefix.length);
    if (named.has(id) || retired.has(id)) continue;
    if (Date.now() - modifiedAt.getTime() < check.graceMs) {
      young += 1;
      continue;
    }
    if ((await db.$count(fileKeyGroups, eq(fileKeyGroups.secretId, id))) > 0) continue;
    const message = `Secret ${id} belongs to no key group.`;
    const destroy = mayDestroy ? () => parts.blobs.shred(key) : undefined;
    await check.found({ kind: "secret-orphaned", message }, destroy);
  }
  if (retired.size > 0) {
    const message = `${retired.size} secrets of purged files are still to be destroyed.`;
    await check.found({ kind: "secret-retired", message }, () => parts.keys.destroyRetired());
  }
  return { groups: named.size, young };
}

async function namedSecrets({ deps }: Check): Promise<Set<string>> {
  const rows = await deps.db.select({ secretId: fileKeyGroups.secretId }).from(fileKeyGroups);
  return new Set(rows.map(({ secretId }) => secretId));
}

/** Find files whose key group has no row: their keys can never be decrypted. */
export async function checkGroups(check: Check): Promise<void> {
  const lost = await check.deps.db
    .select({ fileId: files.id, namespace: files.namespace, keyGroup: files.keyGroup })
    .from(files)
    .where(sql`not exists (select 1 from file_key_groups where file_key_groups.id = ${files.keyGroup})`)
    .limit(1000);
  for (const { keyGroup, ...place } of lost) {
    await check.found({
      kind: "secret-missing",
      ...place,
      message: `Key group ${keyGroup} of file ${place.fileId} is missing.`,
    });
  }
}
