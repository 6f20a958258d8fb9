import { sql } from "drizzle-orm";
import type { Database } from "../../platform/db/client.ts";
import { releaseCharge } from "../payments/claim-store.ts";
import type { StoredCall } from "../tables.ts";
import type { FrameBlock } from "../wire/frames.ts";
import type { StoredPart } from "../wire/message-parts.ts";
import type { History, Usage } from "../wire/turn.ts";
import type { RunOutcome } from "./run-store.ts";

export type RunEnd = {
  run: { id: string; sessionId: string; messageId: string };
  status: RunOutcome;
  /** The last frames, `done` among them. */
  block: FrameBlock;
  doneFrame: string;
  content: string;
  toolCalls: StoredCall[];
  reasoning: string | null;
  parts: StoredPart[];
  history: History | null;
  usage: Usage;
  /** For a session that has none yet. */
  title: string | null;
  at: Date;
};

/**
 * Keep the answer, the last frames and the run's end together, in one statement; what was owed for a turn that failed is owed no
 * longer. False when it was ended before.
 */
export async function endRun(db: Database, end: RunEnd): Promise<boolean> {
  const { run, status, block, usage, history } = end;
  const at = sql`${end.at.toISOString()}::timestamptz`;
  const kept = history === null ? null : JSON.stringify(history);
  const { rows } = await db.execute<{ ended: boolean }>(sql`
    with ended as (
      update oracle_runs set status = ${status}, done_frame = ${end.doneFrame}, last_seq = ${block.lastSeq}, ended_at = ${at},
        input_tokens = ${usage.inputTokens ?? null}, output_tokens = ${usage.outputTokens ?? null}
      where id = ${run.id} and ended_at is null returning id, session_id, user_did, is_counted),
    answered as (
      insert into oracle_messages (id, session_id, run_id, type, content, tool_calls, reasoning, parts, is_complete, history, created_at)
      select ${run.messageId}, session_id, id, 'ai', ${end.content}, ${JSON.stringify(end.toolCalls)}::jsonb, ${end.reasoning},
        ${JSON.stringify(end.parts)}::jsonb, ${status === "finished"}, ${kept}::jsonb, ${at} from ended),
    told as (
      insert into oracle_run_frames (run_id, first_seq, last_seq, frames)
      select id, ${block.firstSeq}, ${block.lastSeq}, ${block.frames} from ended),
    renewed as (
      update oracle_sessions set last_updated_at = ${at}, title = coalesce(title, ${end.title}) where id in (select session_id from ended)),
    ${releaseCharge(status)}
    select exists (select 1 from ended) as ended`);
  return rows[0]?.ended === true;
}
