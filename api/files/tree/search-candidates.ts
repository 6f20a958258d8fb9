import { sql } from "drizzle-orm";
import type { FileContext } from "../deps.ts";
import { visibleWhere } from "./visibility.ts";

/** Where a search stands: key groups up to `after` are done, and of those that follow the files up to `group`, `fileId`. */
export type SearchPosition = { after: string; group: string; fileId: string };
export type Candidate = { id: string; position: SearchPosition };
export type CandidateQuery = { words: readonly string[]; within: string; from: SearchPosition };

/** Key groups whose tags are made for one statement: few at first, since the first ones mostly fill the page. */
const groupsPerStatement = [8, 64, 512];
const rowsPerStatement = 64;

/** Files that the caller may read and whose tags have all the words, group by group. The tags of one group are no other's. */
export async function* searchCandidates(ctx: FileContext, query: CandidateQuery): AsyncGenerator<Candidate> {
  let { after } = query.from;
  let last = query.from;
  for (let statements = 0; ; statements += 1) {
    ctx.signal?.throwIfAborted();
    const size = groupsPerStatement[Math.min(statements, groupsPerStatement.length - 1)] ?? 1;
    const page = after === "" ? { limit: size } : { after, limit: size };
    const groups = await ctx.deps.files.keys.wordTagsOf(ctx.access.grant.owner, query.words, page);
    for (let more = groups.length > 0; more; ) {
      const rows = await tagged(ctx, query, groups, last);
      for (const { id, group } of rows) {
        const before = groups[groups.findIndex(({ groupId }) => groupId === group) - 1];
        last = { after: before?.groupId ?? after, group, fileId: id };
        yield { id, position: last };
      }
      more = rows.length === rowsPerStatement;
    }
    if (groups.length < size) return;
    after = groups.at(-1)?.groupId ?? after;
  }
}

async function tagged(
  ctx: FileContext,
  { words, within }: CandidateQuery,
  groups: readonly { tags: bigint[] }[],
  last: SearchPosition,
): Promise<{ id: string; group: string }[]> {
  const conditions = words.map((_, index) => {
    const tags = `{${groups.map(({ tags }) => tags[index]).join(",")}}`;
    return sql`tags && ${tags}::bigint[]`;
  });
  return await ctx.deps.db.transaction(async (tx) => {
    // The planner does not know what it costs to read the tags of every row, which lie apart from the rows.
    await tx.execute(sql`set local enable_seqscan = off`);
    // Materialized, so that it is always the index of tags that is read and never the order that leads.
    const found = await tx.execute<{ id: string; group: string }>(sql`
      with tagged as materialized (
        select file_id, key_group from file_words where ${sql.join(conditions, sql` and `)}
      )
      select files.id, tagged.key_group as "group" from tagged
      join files on files.id = tagged.file_id
      where files.namespace = ${ctx.access.grant.owner} and files.trashed_at is null
        and (tagged.key_group, tagged.file_id) > (${last.group}, ${last.fileId})
        and ${visibleWhere(ctx.access.visibility("fs/read"), within)}
      order by tagged.key_group, tagged.file_id limit ${rowsPerStatement}`);
    return found.rows;
  });
}
