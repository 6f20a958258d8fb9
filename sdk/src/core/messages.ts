import pRetry, { AbortError } from "p-retry";
import { ApiError } from "./api-error.ts";
import { backoff } from "./backoff.ts";
import type { OracleClient } from "./client.ts";
import type { DeclaredTools } from "./client-tools.ts";
import type { IAttachment, IMessage, JsonObject } from "./types.ts";
import { whenOnline } from "./wake.ts";

/** Optional parts of a message. */
export type SendOptions = {
  /** Id of one of the oracle's models. */
  model?: string;
  metadata?: JsonObject;
  attachments?: IAttachment[];
  mcpInvocations?: unknown;
};

export type MessageBody = SendOptions & DeclaredTools & { message: string; requestId: string; homeServer?: string };

/**
 * List all messages of a session, oldest first.
 * @throws ApiError
 * @example
 * ```ts
 * import { listMessages, type OracleClient } from "@hearth/oracles-client-sdk/core";
 *
 * export const transcript = async (client: OracleClient, sessionId: string): Promise<string[]> =>
 *   (await listMessages(client, sessionId)).map(({ type, content }) => `${type}: ${content}`);
 * ```
 */
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

/**
 * Read one page of a session's turns, oldest first. Without a cursor, read the last page.
 * @param query `limit` counts turns; `before` and `after` are cursors of another page
 * @throws ApiError
 * @example
 * ```ts
 * import { type OracleClient, pageMessages } from "@hearth/oracles-client-sdk/core";
 *
 * export async function lastTwoPages(client: OracleClient, sessionId: string) {
 *   const last = await pageMessages(client, sessionId, { limit: 20 });
 *   if (!last.hasOlder || last.prevCursor === null) return last.messages;
 *   const before = await pageMessages(client, sessionId, { limit: 20, before: last.prevCursor });
 *   return [...before.messages, ...last.messages];
 * }
 * ```
 */
export function pageMessages(
  client: OracleClient,
  sessionId: string,
  query: { limit?: number; before?: string; after?: string } = {},
  signal?: AbortSignal,
): Promise<MessagePage> {
  return client.request("GET", `/sessions/${encodeURIComponent(sessionId)}/messages`, { query, signal });
}

/** How long the oracle may take to start its response, in milliseconds; an earlier turn may have to end first. */
const answerMs = 45_000;

/**
 * Send a message and return the event stream of its turn. Retries when no response arrives: the request id keeps the oracle from
 * starting a second turn. Waits while the device is offline.
 * @throws ApiError when the oracle refuses the message, which it does before the stream starts
 * @example
 * ```ts
 * import { followRun, type OracleClient, postMessage } from "@hearth/oracles-client-sdk/core";
 *
 * export async function ask(client: OracleClient, sessionId: string, message: string) {
 *   const { signal } = new AbortController();
 *   const response = await postMessage(client, sessionId, { message, requestId: crypto.randomUUID() }, { signal });
 *   const runId = response.headers.get("x-run-id") ?? "";
 *   return await followRun({ client, runId, response, signal, onEvent: console.log, onRestart: console.clear });
 * }
 * ```
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

/**
 * Stop the turn that is running in a session. The text so far is kept.
 * @returns whether a turn was running
 * @throws ApiError
 * @example
 * ```ts
 * import { abortTurn, type OracleClient } from "@hearth/oracles-client-sdk/core";
 *
 * export const stop = (client: OracleClient, sessionId: string): Promise<boolean> => abortTurn(client, sessionId);
 * ```
 */
export async function abortTurn(client: OracleClient, sessionId: string): Promise<boolean> {
  const answer = await client.request<{ success: boolean }>("POST", "/messages/abort", { body: { sessionId } });
  return answer.success;
}

/**
 * Find the turn that is running in a session.
 * @returns null when no turn is running
 * @throws ApiError
 * @example
 * ```ts
 * import { currentRun, type OracleClient } from "@hearth/oracles-client-sdk/core";
 *
 * export const isAnswering = async (client: OracleClient, sessionId: string): Promise<boolean> =>
 *   (await currentRun(client, sessionId)) !== null;
 * ```
 */
export async function currentRun(
  client: OracleClient,
  sessionId: string,
  signal?: AbortSignal,
): Promise<{ runId: string; status: string } | null> {
  const path = `/sessions/${encodeURIComponent(sessionId)}/run`;
  return (await client.request<{ run: { runId: string; status: string } | null }>("GET", path, { signal })).run;
}
