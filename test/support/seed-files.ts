import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import type { FileDeps } from "../../api/files/deps.ts";
import type { NewFileKey } from "../../api/files/keys/file-keys.ts";
import { detailsContext } from "../../api/files/records/find-file.ts";
import { sealWords } from "../../api/files/search/word-index.ts";

export type Seeding = {
  namespace: string;
  count: number;
  /** Path of the file with this number. */
  path: (index: number) => string;
  /** Words of its head, for search. */
  words?: (index: number) => readonly string[];
  /** Called now and then with how many are there. */
  progress?: (done: number) => void;
};

const rowsPerStatement = 2_000;

/**
 * Fill a namespace with files by the thousand a second: true rows, keys, details and tags, but no bytes behind them. Lists, trees
 * and searches cannot tell; reading such a file fails. Their ids sort after those of real files.
 */
export async function seedFiles(deps: FileDeps, seeding: Seeding): Promise<void> {
  const { namespace, count, progress } = seeding;
  // The database takes some rows while the next are made.
  let inserting = Promise.resolve();
  for (let at = 0; at < count; at += rowsPerStatement) {
    const rows: SeedRow[] = [];
    for (let index = at; index < Math.min(count, at + rowsPerStatement); index++)
      rows.push(await seedRow(deps, seeding, index));
    await inserting;
    progress?.(at);
    inserting = insertRows(deps, namespace, rows);
    inserting.catch(() => {});
  }
  await inserting;
  progress?.(count);
  await deps.db.execute(sql`
    insert into namespaces (namespace, files, versions) values (${namespace}, ${count}, ${count})
    on conflict (namespace) do update
      set files = namespaces.files + excluded.files, versions = namespaces.versions + excluded.versions`);
}

/** The id of a seeded file: of its namespace alone, and after those of real files in order. */
export function seededId(namespace: string, index: number): string {
  const own = createHash("sha256").update(namespace).digest("hex").slice(0, 12).toUpperCase();
  return `Z${own}${String(index).padStart(13, "0")}`;
}

type SeedRow = ReturnType<typeof toRow> & { tags: string | null; words: string | null };

async function seedRow(deps: FileDeps, { namespace, path, words }: Seeding, index: number): Promise<SeedRow> {
  const id = seededId(namespace, index);
  const fileKey = await deps.files.keys.newFileKey(namespace);
  const row = toRow(deps, { id, path: path(index), fileKey });
  const { key, tagger } = fileKey;
  const sealed = sealWords(deps.files.keys, { fileId: id, fileKey: key, tagger, words: words?.(index) ?? [] });
  return {
    ...row,
    tags: sealed === null ? null : `{${sealed.tags.join(",")}}`,
    words: sealed === null ? null : sealed.sealed.toString("base64"),
  };
}

function toRow(deps: FileDeps, { id, path, fileKey }: { id: string; path: string; fileKey: NewFileKey }) {
  const { key, groupId, wrapped, tagger } = fileKey;
  const details = { cid: "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku", mimeType: "text/plain" };
  const whole = { ...details, contentHash: "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", metadata: {} };
  return {
    id,
    path,
    key_group: groupId,
    file_key: wrapped.toString("base64"),
    details: deps.files.keys.sealDetails(key, detailsContext(id, 1), whole).toString("base64"),
    cid_tag: tagger.cid(Buffer.from(id).toString("hex")).toString("base64"),
  };
}

async function insertRows({ db }: FileDeps, namespace: string, rows: readonly SeedRow[]): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.execute(sql`
      insert into files (id, namespace, path, version, key_group, file_key, sealed_version, blob, size, version_key, details,
        cid_tag, created_at, created_by, written_at, written_by, updated_at)
      select id, ${namespace}, path, 1, key_group, decode(file_key, 'base64'), 1, 'content/seeded-' || id, 0, '',
        decode(details, 'base64'), decode(cid_tag, 'base64'), now(), ${namespace}, now(), ${namespace}, now()
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (
        id text, path text, key_group text, file_key text, details text, cid_tag text)`);
    await tx.execute(sql`
      insert into file_words (file_id, key_group, tags, sealed)
      select id, key_group, tags::bigint[], decode(words, 'base64')
      from jsonb_to_recordset(${JSON.stringify(rows.filter(({ tags }) => tags !== null))}::jsonb) as given (
        id text, key_group text, tags text, words text)`);
  });
}
