import type { OracleClient } from "./client.ts";
import type { IChatSession } from "./types.ts";

export type SessionPage = { sessions: IChatSession[]; total: number };

/**
 * Read one page of the user's sessions, newest first.
 * @throws ApiError
 * @example
 * ```ts
 * import { listSessions, type OracleClient } from "@hearth/oracles-client-sdk/core";
 *
 * export const secondPage = (client: OracleClient) => listSessions(client, { limit: 20, offset: 20 });
 * ```
 */
export function listSessions(client: OracleClient, { limit = 20, offset = 0 } = {}): Promise<SessionPage> {
  return client.request("GET", "/sessions", { query: { limit, offset } });
}

/**
 * Create a session.
 * @throws ApiError
 * @example
 * ```ts
 * import { createSession, type OracleClient } from "@hearth/oracles-client-sdk/core";
 *
 * export const newSessionId = async (client: OracleClient): Promise<string> =>
 *   (await createSession(client, { title: "Stoves" })).sessionId;
 * ```
 */
export function createSession(client: OracleClient, { title }: { title?: string } = {}): Promise<IChatSession> {
  return client.request("POST", "/sessions", { body: title === undefined ? {} : { title } });
}

/**
 * Delete a session and its messages, and stop its running turn.
 * @throws ApiError
 * @example
 * ```ts
 * import { deleteSession, type OracleClient } from "@hearth/oracles-client-sdk/core";
 *
 * export const discard = (client: OracleClient, sessionId: string): Promise<void> => deleteSession(client, sessionId);
 * ```
 */
export async function deleteSession(client: OracleClient, sessionId: string): Promise<void> {
  await client.request("DELETE", `/sessions/${encodeURIComponent(sessionId)}`);
}
