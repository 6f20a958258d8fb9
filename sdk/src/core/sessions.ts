import type { OracleClient } from "./client.ts";
import type { IChatSession } from "./types.ts";

export type SessionPage = { sessions: IChatSession[]; total: number };

/** A page of the user's sessions, newest first. @throws ApiError */
export function listSessions(client: OracleClient, { limit = 20, offset = 0 } = {}): Promise<SessionPage> {
  return client.request("GET", "/sessions", { query: { limit, offset } });
}

/** Begin a session. @throws ApiError */
export function createSession(client: OracleClient, { title }: { title?: string } = {}): Promise<IChatSession> {
  return client.request("POST", "/sessions", { body: title === undefined ? {} : { title } });
}

/** Delete a session with its messages; what runs in it ends. @throws ApiError */
export async function deleteSession(client: OracleClient, sessionId: string): Promise<void> {
  await client.request("DELETE", `/sessions/${encodeURIComponent(sessionId)}`);
}
