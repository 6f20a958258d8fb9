import { AppError } from "../../platform/errors.ts";
import { readParts } from "../wire/message-parts.ts";
import type { ChatMessage } from "../wire/message-schemas.ts";
import type { MessageStore, StoredMessage } from "./message-store.ts";
import { requireSession, type SessionDeps } from "./sessions.ts";

/** Most messages in a response without pages: the last ones. */
const mostMessages = 5_000;

export function serializeMessage(row: StoredMessage): ChatMessage {
  const { id, type, content, toolCalls, reasoning, parts, isComplete, createdAt, attachments } = row;
  return {
    id,
    type,
    content,
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(reasoning === null ? {} : { reasoning }),
    ...(parts.length === 0 ? {} : { parts: readParts(parts, content, reasoning ?? "") }),
    isComplete,
    createdAt: createdAt.toISOString(),
    ...(attachments.length === 0 ? {} : { attachments }),
  };
}

export type ReadMessagesDeps = SessionDeps & { messages: MessageStore };

/** The session's messages, oldest first. @throws AppError NOT_FOUND */
export async function listMessages(deps: ReadMessagesDeps, sessionId: string, userDid: string): Promise<ChatMessage[]> {
  await requireSession(deps, sessionId, userDid);
  return (await deps.messages.all(sessionId, mostMessages)).map(serializeMessage);
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
 * Read a page of turns, oldest first; without a cursor the last ones. For a session that is not the caller's the page is empty.
 * @throws AppError INVALID_INPUT for a cursor of another session
 */
export async function pageMessages(deps: ReadMessagesDeps, sessionId: string, userDid: string, query: PageQuery) {
  if ((await deps.sessions.find(sessionId, userDid)) === undefined) return emptyPage;
  const before = await numberOf(deps, sessionId, "before", query.before);
  const after = await numberOf(deps, sessionId, "after", query.after);
  const bounds = {
    limit: query.limit,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
  const { turns, more } = await deps.messages.turns(sessionId, bounds);
  const [first, last] = [turns[0], turns.at(-1)];
  if (first === undefined || last === undefined) {
    return { ...emptyPage, hasOlder: after !== undefined, hasNewer: before !== undefined };
  }
  const runIds = turns.map(({ runId }) => runId);
  const page: MessagePage = {
    messages: (await deps.messages.ofTurns(sessionId, runIds)).map(serializeMessage),
    hasOlder: after !== undefined || more,
    hasNewer: after === undefined ? before !== undefined : more,
    prevCursor: null,
    nextCursor: null,
  };
  return { ...page, prevCursor: page.hasOlder ? first.runId : null, nextCursor: page.hasNewer ? last.runId : null };
}

async function numberOf(
  deps: ReadMessagesDeps,
  sessionId: string,
  name: "before" | "after",
  cursor: string | undefined,
) {
  if (cursor === undefined) return undefined;
  const first = await deps.messages.firstOf(sessionId, cursor);
  if (first !== undefined) return first;
  const details = [{ path: `query.${name}`, rule: "cursor", message: "The cursor does not belong to this session." }];
  throw new AppError("INVALID_INPUT", "The cursor is not known.", { details });
}
