import { inArray, sql } from "drizzle-orm";
import type { Transaction } from "../../platform/db/index.ts";
import type { FileKeys } from "../keys/file-keys.ts";
import type { FileKey } from "../keys/key-types.ts";
import type { Tagger } from "../keys/lookup-tags.ts";
import { SealedValueError } from "../keys/sealed-details.ts";
import { fileWords } from "./tables.ts";

/** A file's words in stored form. */
export type SealedWords = { tags: bigint[]; sealed: Buffer };

/** Prepare the words of a head for `saveWords`; null when it has none. @param tagger of the file's key group */
export function sealWords(
  keys: Pick<FileKeys, "sealDetails">,
  input: { fileId: string; fileKey: FileKey; tagger: Pick<Tagger, "word">; words: readonly string[] },
): SealedWords | null {
  const { fileId, fileKey, tagger, words } = input;
  if (words.length === 0) return null;
  return { tags: words.map(tagger.word), sealed: keys.sealDetails(fileKey, contextOf(fileId), words) };
}

/** Replace the words of files, in the transaction that writes their heads; null if the file has none any more. */
export async function saveWords(
  tx: Transaction,
  rows: readonly { fileId: string; groupId: string; words: SealedWords | null }[],
): Promise<void> {
  const without = rows.filter(({ words }) => words === null).map(({ fileId }) => fileId);
  if (without.length > 0) await tx.delete(fileWords).where(inArray(fileWords.fileId, without));
  const some = rows.flatMap(({ words, ...row }) => (words === null ? [] : [{ ...row, ...words }]));
  if (some.length === 0) return;
  await tx.execute(sql`
    insert into file_words (file_id, key_group, tags, sealed)
    select file_id, key_group, tags::bigint[], decode(sealed, 'base64')
    from unnest(${sql.param(some.map(({ fileId }) => fileId))}::text[], ${sql.param(some.map(({ groupId }) => groupId))}::text[],
      ${sql.param(some.map(({ tags }) => arrayText(tags)))}::text[], ${sql.param(some.map(({ sealed }) => sealed.toString("base64")))}::text[])
      as given (file_id, key_group, tags, sealed)
    on conflict (file_id) do update set tags = excluded.tags, sealed = excluded.sealed, key_group = excluded.key_group`);
}

/**
 * Recompute the tags of a group's files, in the transaction that gives it a new secret. Words that cannot be decrypted get no
 * tags. @param open returns the key of a remaining file; undefined if it is damaged
 */
export async function retagWords(
  tx: Transaction,
  input: {
    groupId: string;
    keys: Pick<FileKeys, "openDetails">;
    open: (fileId: string) => FileKey | undefined;
    tagger: Pick<Tagger, "word">;
  },
): Promise<void> {
  const { groupId, keys, open, tagger } = input;
  const rows = await tx.execute<{ file_id: string; sealed: Uint8Array }>(sql`
    select file_id, sealed from file_words where key_group = ${groupId}`);
  if (rows.rows.length === 0) return;
  const ids = rows.rows.map((row) => row.file_id);
  const wordsOf = ({ file_id, sealed }: (typeof rows.rows)[number]): string[] => {
    const key = open(file_id);
    try {
      return key === undefined ? [] : (keys.openDetails(key, contextOf(file_id), sealed) as string[]);
    } catch (error) {
      if (!(error instanceof SealedValueError)) throw error;
      return [];
    }
  };
  const tags = rows.rows.map((row) => arrayText(wordsOf(row).map(tagger.word)));
  await tx.execute(sql`
    update file_words set tags = given.tags::bigint[]
    from unnest(${sql.param(ids)}::text[], ${sql.param(tags)}::text[]) as given (file_id, tags)
    where file_words.file_id = given.file_id`);
}

function contextOf(fileId: string): string {
  return `words of ${fileId}`;
}

/** Write an array in PostgreSQL's syntax: a parameter cannot contain arrays of different lengths. */
function arrayText(tags: readonly bigint[]): string {
  return `{${tags.join(",")}}`;
}
