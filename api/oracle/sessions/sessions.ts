import { createHash } from "node:crypto";
import { AppError } from "../../platform/errors.ts";
import type { Oracle } from "../conversations.ts";
import type { SessionRow } from "../tables.ts";

/** A session as clients see it. */
export type ChatSession = {
  sessionId: string;
  title: string;
  lastUpdatedAt: string;
  createdAt: string;
  oracleName: string;
  oracleDid: string;
  oracleEntityDid: string;
  roomId: string;
};

/** The room of a user and this oracle: the same for all of their sessions. */
export function roomOf(userDid: string, oracleDid: string): string {
  return `!${createHash("sha256").update(`${userDid}\n${oracleDid}`).digest("base64url").slice(0, 22)}:hearth`;
}

export function showSession({ name, did }: Pick<Oracle, "name" | "did">, row: SessionRow): ChatSession {
  return {
    sessionId: row.id,
    title: row.title ?? "Untitled",
    lastUpdatedAt: row.lastUpdatedAt.toISOString(),
    createdAt: row.createdAt.toISOString(),
    oracleName: name,
    oracleDid: did,
    oracleEntityDid: did,
    roomId: row.roomId,
  };
}

export function sessionNotFound(): AppError {
  return new AppError("NOT_FOUND", "There is no such session.");
}

/** The caller's session. @throws AppError NOT_FOUND, the same for one of somebody else's */
export async function requireSession({ sessions }: Oracle, id: string, userDid: string): Promise<SessionRow> {
  const row = await sessions.find(id, userDid);
  if (row === undefined) throw sessionNotFound();
  return row;
}

export async function createSession(oracle: Oracle, userDid: string, title?: string): Promise<SessionRow> {
  const roomId = roomOf(userDid, oracle.did);
  const row = await oracle.sessions.create({ userDid, roomId, at: oracle.clock.now(), title });
  if (row === undefined) throw new Error("A new session's id was taken.");
  return row;
}

/** End what runs in it, forget it, and let its sockets go. */
export async function deleteSession(oracle: Oracle, id: string, userDid: string): Promise<void> {
  await requireSession(oracle, id, userDid);
  await oracle.runs.abortAndWait(id);
  await oracle.liveCalls.endOf(id);
  if (!(await oracle.sessions.remove(id, userDid))) throw sessionNotFound();
  oracle.io.in(id).disconnectSockets(true);
}
