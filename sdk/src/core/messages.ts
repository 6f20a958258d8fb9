import pRetry, { AbortError } from "p-retry";
import { ApiError } from "./api-error.ts";
import { backoff } from "./backoff.ts";
import type { OracleClient } from "./client.ts";
import type { DeclaredTools } from "./client-tools.ts";
import type { IAttachment, IMessage, JsonObject } from "./types.ts";
import { whenOnline } from "./wake.ts";

/** What may go with a message. */
export type SendOptions = {
  /** One of `useModels`. */
  model?: string;
  metadata?: JsonObject;
  attachments?: IAttachment[];
  mcpInvocations?: unknown;
};

export type MessageBody = SendOptions & DeclaredTools & { message: string; requestId: string; homeServer?: string };

/** The session's messages, oldest first. @throws ApiError */
export async function listMessages(client: OracleClient, sessionId: string, signal?: AbortSignal): Promise<IMessage[]> {
  const path = `/messages/${encodeURIComponent(sessionId)}`;
  return (await client.request<{ messages: IMessage[] }>("GET", path, { signal })).messages;
}

export type MessagePage = {
  messages: IMessage[];
  prevCursor: string | null;
  nextCursor: string | null;
  hasOlder: boolean;
  hasNewer: boolean;
};

/** A page of turns, oldest first; without a cursor the last ones. @throws ApiError */
export function pageMessages(
  client: OracleClient,
  sessionId: string,
  query: { limit?: number; before?: string; after?: string } = {},
  signal?: AbortSignal,
): Promise<MessagePage> {
  return client.request("GET", `/sessions/${encodeURIComponent(sessionId)}/messages`, { query, signal });
}

/** How long the oracle may take to begin its answer, in milliseconds; an earlier turn may have to end first. */
const answerMs = 45_000;

/**
 * Send a message; the answer is its turn's event stream. One whose answer got lost is sent again: the oracle knows it by its
 * request id and begins no second turn. On a device without a network it waits for one.
 * @throws ApiError: whatever is refused is refused before the stream
 */
export async function postMessage(
  client: OracleClient,
  sessionId: string,
  message: MessageBody,
  { headers = {}, signal }: { headers?: Record<string, string>; signal: AbortSignal },
): Promise<Response> {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const body = { ...message, stream: true, ...(timeZone ? { timezone: timeZone } : {}) };
  const attempt = async () => {
    await whenOnline(signal);
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Error("The oracle did not answer.")), answerMs);
    const either = AbortSignal.any([signal, late.signal]);
    try {
      return await client.open("POST", `/messages/${encodeURIComponent(sessionId)}`, { body, headers, signal: either });
    } catch (error) {
      const isFinal = error instanceof ApiError && ![502, 503, 504].includes(error.status);
      throw isFinal ? new AbortError(error) : error;
    } finally {
      clearTimeout(timer);
    }
  };
  return await pRetry(attempt, { ...backoff, retries: 6, signal });
}

/** End the session's turn; its text so far is kept. Resolves with whether there was one. @throws ApiError */
export async function abortTurn(client: OracleClient, sessionId: string): Promise<boolean> {
  const answer = await client.request<{ success: boolean }>("POST", "/messages/abort", { body: { sessionId } });
  return answer.success;
}

/** The turn that is under way in the session, if one is. @throws ApiError */
export async function currentRun(
  client: OracleClient,
  sessionId: string,
  signal?: AbortSignal,
): Promise<{ runId: string; status: string } | null> {
  const path = `/sessions/${encodeURIComponent(sessionId)}/run`;
  return (await client.request<{ run: { runId: string; status: string } | null }>("GET", path, { signal })).run;
}
