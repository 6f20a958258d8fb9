import { sql } from "drizzle-orm";
import type { Database } from "../../platform/db/index.ts";
import { storable } from "../wire/storable.ts";
import type { Attachment, HeldDelegation, History, JsonObject } from "../wire/turn.ts";

export type NewRun = {
  id: string;
  sessionId: string;
  user: string;
  requestId: string;
  /** The id that the client gave the message, if any. */
  retryId: string | null;
  processId: string;
  messageId: string;
  humanId: string;
  message: string;
  attachments: Attachment[];
  at: Date;
  /** How many earlier turns to read. */
  turns: number;
};

export type EarlierMessage = { runId: string; type: "human" | "ai"; content: string; history: History | null };

/** What was read from the database when the run was stored. */
export type StartedRun = {
  session: { id: string; roomId: string; loadedPlugins: string[]; state: JsonObject };
  /** Oldest first. */
  earlier: EarlierMessage[];
  /** The user's stored delegation, unverified; null when there is none. */
  delegation: Pick<HeldDelegation, "raw"> | null;
};

type Row = {
  inserted: boolean;
  room_id: string;
  loaded_plugins: string[];
  state: JsonObject;
  earlier: EarlierMessage[] | null;
  delegation: string | null;
};

/**
 * Store a run with the user's message, and read what the turn needs. It is one statement, because a client waits for the first token.
 * @returns `taken` when another run of the session is open or was started by the same message; undefined when the user has no such
 *   session
 */
export async function insertRun(db: Pick<Database, "execute">, run: NewRun): Promise<StartedRun | "taken" | undefined> {
  const attachments = JSON.stringify(storable(run.attachments));
  const { rows } = await db.execute<Row>(sql`
    with own as (select * from oracle_sessions where id = ${run.sessionId} and user_did = ${run.user}),
    inserted as (
      insert into oracle_runs (id, session_id, user_did, request_id, retry_id, status, process_id, message_id, started_at)
      select ${run.id}, id, user_did, ${run.requestId}, ${run.retryId}, 'running', ${run.processId}, ${run.messageId}, ${run.at.toISOString()}::timestamptz
      from own on conflict do nothing returning id, session_id),
    message as (
      insert into oracle_messages (id, session_id, run_id, type, content, is_complete, attachments, created_at)
      select ${run.humanId}, session_id, id, 'human', ${run.message}, true, ${attachments}::jsonb, ${run.at.toISOString()}::timestamptz
      from inserted)
    select exists (select 1 from inserted) as inserted, own.room_id, own.loaded_plugins, own.state,
      (select raw from oracle_delegations where user_did = ${run.user} and expires_at > ${run.at.toISOString()}::timestamptz) as delegation,
      (select json_agg(json_build_object('runId', run_id, 'type', type, 'content', content, 'history', history) order by number)
        from (select * from oracle_messages where session_id = ${run.sessionId} order by number desc limit ${run.turns * 2}) last
      ) as earlier
    from own`);
  const [row] = rows;
  if (row === undefined) return undefined;
  if (!row.inserted) return "taken";
  const { room_id: roomId, loaded_plugins: loadedPlugins, state, earlier, delegation } = row;
  const session = { id: run.sessionId, roomId, loadedPlugins, state };
  return { session, earlier: earlier ?? [], delegation: delegation === null ? null : { raw: delegation } };
}
