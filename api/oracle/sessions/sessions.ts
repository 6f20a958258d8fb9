import { createHash } from "node:crypto";
import { AppError } from "../../platform/errors.ts";
import type { SessionStore } from "./session-store.ts";
import type { SessionRow } from "./tables.ts";

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

export type SessionDeps = { sessions: SessionStore };

/** The room of a user and this oracle. All sessions of the two share it. */
export function roomOf(userDid: string, oracleDid: string): string {
  return `!${createHash("sha256").update(`${userDid}\n${oracleDid}`).digest("base64url").slice(0, 22)}:hearth`;
}

export function serializeSession({ name, did }: { name: string; did: string }, row: SessionRow): ChatSession {
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

/** Find the caller's session. @throws AppError NOT_FOUND, for another user's session too */
export async function requireSession({ sessions }: SessionDeps, id: string, userDid: string): Promise<SessionRow> {
  const row = await sessions.find(id, userDid);
  if (row === undefined) throw sessionNotFound();
  return row;
}

type CreateSessionDeps = SessionDeps & { did: string; clock: { now: () => Date } };

export async function createSession(deps: CreateSessionDeps, userDid: string, title?: string): Promise<SessionRow> {
  const roomId = roomOf(userDid, deps.did);
  const row = await deps.sessions.create({ userDid, roomId, at: deps.clock.now(), title });
  if (row === undefined) throw new Error("A new session's id was taken.");
  return row;
}
