import { AppError } from "../../platform/errors.ts";
import type { Oracle } from "../conversations.ts";
import { readParts } from "../wire/message-parts.ts";
import type { ChatMessage } from "../wire/message-schemas.ts";
import type { ShownRow } from "./message-store.ts";
import { requireSession } from "./sessions.ts";

/** Most messages of one answer that is not paged: the last ones. */
const mostMessages = 5_000;

export function showMessage(row: ShownRow): ChatMessage {
  const { id, type, content, toolCalls, reasoning, parts, isComplete, createdAt, attachments } = row;
  return {
    ...{ id, type, content },
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(reasoning === null ? {} : { reasoning }),
    ...(parts.length === 0 ? {} : { parts: readParts(parts, content, reasoning ?? "") }),
    ...{ isComplete, createdAt: createdAt.toISOString() },
    ...(attachments.length === 0 ? {} : { attachments }),
  };
}

/** The session's messages, oldest first. @throws AppError NOT_FOUND */
export async function listMessages(oracle: Oracle, sessionId: string, userDid: string): Promise<ChatMessage[]> {
  await requireSession(oracle, sessionId, userDid);
  return (await oracle.messages.all(sessionId, mostMessages)).map(showMessage);
}

export type PageQuery = { limit: number; before?: string | undefined; after?: string | undefined };
export type MessagePage = {
  messages: ChatMessage[];
  prevCursor: string | null;
  nextCursor: string | null;
  hasOlder: boolean;
  hasNewer: boolean;
};

const emptyPage: MessagePage = { messages: [], prevCursor: null, nextCursor: null, hasOlder: false, hasNewer: false };

/**
 * A page of turns, oldest first; without a cursor the last ones. A session that the caller does not have is an empty page.
 * @throws AppError INVALID_INPUT for a cursor that is none of this session's
 */
export async function pageMessages(oracle: Oracle, sessionId: string, userDid: string, query: PageQuery) {
  if ((await oracle.sessions.find(sessionId, userDid)) === undefined) return emptyPage;
  const before = await numberOf(oracle, sessionId, "before", query.before);
  const after = await numberOf(oracle, sessionId, "after", query.after);
  const bounds = {
    limit: query.limit,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
  const { turns, more } = await oracle.messages.turns(sessionId, bounds);
  const [first, last] = [turns[0], turns.at(-1)];
  if (first === undefined || last === undefined) {
    return { ...emptyPage, hasOlder: after !== undefined, hasNewer: before !== undefined };
  }
  const runIds = turns.map(({ runId }) => runId);
  const page: MessagePage = {
    messages: (await oracle.messages.ofTurns(sessionId, runIds)).map(showMessage),
    hasOlder: after !== undefined || more,
    hasNewer: after === undefined ? before !== undefined : more,
    prevCursor: null,
    nextCursor: null,
  };
  return { ...page, prevCursor: page.hasOlder ? first.runId : null, nextCursor: page.hasNewer ? last.runId : null };
}

async function numberOf(oracle: Oracle, sessionId: string, name: "before" | "after", cursor: string | undefined) {
  if (cursor === undefined) return undefined;
  const first = await oracle.messages.firstOf(sessionId, cursor);
  if (first !== undefined) return first;
  const details = [{ path: `query.${name}`, rule: "cursor", message: "This cursor is none of this session's." }];
  throw new AppError("INVALID_INPUT", "The cursor is not known.", { details });
}
