import { sql } from "drizzle-orm";
import type { FileContext } from "../deps.ts";
import { scanFiles } from "../visibility/scan-files.ts";
import { visibleWhere } from "../visibility/visible-where.ts";

/** Position of a search: key groups up to `after` are done, and in the following ones the files up to `group`, `fileId`. */
export type SearchPosition = { after: string; group: string; fileId: string };
export type Candidate = { id: string; position: SearchPosition };
export type CandidateQuery = { words: readonly string[]; within: string; from: SearchPosition };

/** Number of key groups per statement: few at first, because the first ones usually fill the page. */
const groupsPerStatement = [8, 128, 1024];
const [fewGroups = 0] = groupsPerStatement;
const rowsPerStatement = 64;
/** If the caller may see at most this many files in at most this many groups, the search reads only their words. */
const narrowFiles = 1_000;
const narrowGroups = 64;

/** Words' tags in one group. Different groups never share a tag. */
type GroupTags = { groupId: string; tags: bigint[] };

/** Yield files that the caller may read and whose tags have all the words, group by group. */
export async function* searchCandidates(ctx: FileContext, query: CandidateQuery): AsyncGenerator<Candidate> {
  const narrow = await narrowScope(ctx, query);
  if (narrow !== undefined) {
    if (narrow.groups.length > fewGroups) await settleIndex(ctx);
    yield* inGroups(ctx, query, { ...narrow, after: "", last: query.from });
    return;
  }
  let { after } = query.from;
  let last = query.from;
  for (let statements = 0; ; statements += 1) {
    ctx.signal?.throwIfAborted();
    const limit = groupsPerStatement[Math.min(statements, groupsPerStatement.length - 1)] ?? 1;
    const page = after === "" ? { limit } : { after, limit };
    if (statements === 1) await settleIndex(ctx);
    const groups = await ctx.deps.files.keys.wordTagsOf(ctx.access.grant.owner, query.words, page);
    for await (const candidate of inGroups(ctx, query, { groups, after, last })) {
      last = candidate.position;
      yield candidate;
    }
    if (groups.length < limit) return;
    after = groups.at(-1)?.groupId ?? after;
  }
}

/**
 * Move the index's pending entries into its tree. A lookup in the tree reads a few pages, but each tag is also compared with
 * every pending entry. With hundreds of tags, that costs a hundred times more than moving the entries once.
 */
async function settleIndex(ctx: FileContext): Promise<void> {
  await ctx.deps.db.execute(sql`select gin_clean_pending_list('file_words_tags')`);
}

type Part = { groups: readonly GroupTags[]; ids?: readonly string[]; after: string; last: SearchPosition };

async function* inGroups(ctx: FileContext, query: CandidateQuery, part: Part): AsyncGenerator<Candidate> {
  const { groups, after } = part;
  let { last } = part;
  for (let more = groups.length > 0; more; ) {
    const rows = await tagged(ctx, query, { ...part, last });
    for (const { id, group } of rows) {
      const before = groups[groups.findIndex(({ groupId }) => groupId === group) - 1];
      last = { after: before?.groupId ?? after, group, fileId: id };
      yield { id, position: last };
    }
    more = rows.length === rowsPerStatement;
  }
}

/**
 * Read the visible files and their groups, if they are a small part of a large namespace: a common word may have very many hits
 * elsewhere.
 */
async function narrowScope(
  ctx: FileContext,
  { words, within }: CandidateQuery,
): Promise<{ groups: GroupTags[]; ids: string[] } | undefined> {
  const { db, files } = ctx.deps;
  const namespace = ctx.access.grant.owner;
  const visibility = ctx.access.visibility("fs/read");
  if (within === "/" && visibility.some(({ prefix }) => prefix === "/")) return undefined;
  const found = await scanFiles(db, { namespace, visibility, within, limit: narrowFiles + 1 });
  if (found.length > narrowFiles) return undefined;
  const ids = found.map(({ id }) => id);
  const { rows } = await db.execute<{ group: string }>(sql`
    select distinct key_group as "group" from file_words where file_id = any(${sql.param(ids)}::text[])
    order by key_group limit ${narrowGroups + 1}`);
  if (rows.length > narrowGroups) return undefined;
  const groups = rows.map(async ({ group }) => ({ groupId: group, ...(await files.keys.wordTags(group, words)) }));
  return { groups: await Promise.all(groups), ids };
}

async function tagged(
  ctx: FileContext,
  { words, within }: CandidateQuery,
  { groups, ids, last }: Part,
): Promise<{ id: string; group: string }[]> {
  const conditions = words.map((_, index) => {
    const tags = `{${groups.map(({ tags }) => tags[index]).join(",")}}`;
    return sql`tags && ${tags}::bigint[]`;
  });
  if (ids !== undefined) conditions.push(sql`file_id = any(${sql.param(ids)}::text[])`);
  return await ctx.deps.db.transaction(async (tx) => {
    // The planner underestimates the cost of reading every row's tags, which are stored outside of the rows.
    await tx.execute(sql`set local enable_seqscan = off`);
    // Read the words' files in order, and look up each by its id before the visibility check: PostgreSQL may plan a simpler join that reads the whole namespace, once or for every word.
    const found = await tx.execute<{ id: string; group: string }>(sql`
      with tagged as materialized (
        select file_id, key_group from file_words where ${sql.join(conditions, sql` and `)}
      )
      select file.id, given.key_group as "group"
      from (
        select file_id, key_group from tagged where (key_group, file_id) > (${last.group}, ${last.fileId})
        order by key_group, file_id
      ) given
      cross join lateral (
        select files.id from (select * from files where files.id = given.file_id offset 0) files
        where files.namespace = ${ctx.access.grant.owner} and files.trashed_at is null
          and ${visibleWhere(ctx.access.visibility("fs/read"), within)}
        offset 0
      ) file
      order by given.key_group, given.file_id limit ${rowsPerStatement}`);
    return found.rows;
  });
}
