import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../../platform/db/index.ts";
import type { FrameBlock } from "../wire/frames.ts";
import type { StoredPart } from "../wire/message-parts.ts";
import type { History, StoredCall, Usage } from "../wire/turn.ts";
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
  /** For a session without a title. */
  title: string | null;
  at: Date;
};

/**
 * Store the answer, the last frames and the run's end in one statement.
 * @param releaseCharge more expressions for the statement, which take back what a failed turn would cost
 * @returns false when the run had ended before
 */
export async function finishRun(db: Database, end: RunEnd, releaseCharge: SQL): Promise<boolean> {
  const { run, status, block, usage, history } = end;
  const at = sql`${end.at.toISOString()}::timestamptz`;
  const historyJson = history === null ? null : JSON.stringify(history);
  const { rows } = await db.execute<{ ended: boolean }>(sql`
    with ended as (
      update oracle_runs set status = ${status}, done_frame = ${end.doneFrame}, last_seq = ${block.lastSeq}, ended_at = ${at},
        input_tokens = ${usage.inputTokens ?? null}, output_tokens = ${usage.outputTokens ?? null}
      where id = ${run.id} and ended_at is null returning id, session_id, user_did, is_counted),
    answer as (
      insert into oracle_messages (id, session_id, run_id, type, content, tool_calls, reasoning, parts, is_complete, history, created_at)
      select ${run.messageId}, session_id, id, 'ai', ${end.content}, ${JSON.stringify(end.toolCalls)}::jsonb, ${end.reasoning},
        ${JSON.stringify(end.parts)}::jsonb, ${status === "finished"}, ${historyJson}::jsonb, ${at} from ended),
    sent as (
      insert into oracle_run_frames (run_id, first_seq, last_seq, frames)
      select id, ${block.firstSeq}, ${block.lastSeq}, ${block.frames} from ended),
    session as (
      update oracle_sessions set last_updated_at = ${at}, title = coalesce(title, ${end.title}) where id in (select session_id from ended)),
    ${releaseCharge}
    select exists (select 1 from ended) as ended`);
  return rows[0]?.ended === true;
}
