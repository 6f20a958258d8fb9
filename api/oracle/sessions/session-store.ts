import { randomBytes } from "node:crypto";
import { and, desc, eq, sql } from "drizzle-orm";
import type { Database } from "../../platform/db/index.ts";
import type { JsonObject } from "../wire/turn.ts";
import { oracleSessions, type SessionRow } from "./tables.ts";

export type SessionStore = ReturnType<typeof createSessionStore>;

/** Clients of this protocol expect a `$` and a colon in session ids. */
const newSessionId = () => `$${randomBytes(16).toString("base64url")}:hearth`;

export type NewSession = { userDid: string; roomId: string; at: Date; title?: string | undefined; threadId?: string };

export function createSessionStore(db: Database) {
  return {
    /** Create a session. Undefined when the user has one with this thread id already. */
    async create({ userDid, roomId, at, title, threadId }: NewSession): Promise<SessionRow | undefined> {
      const row = { id: newSessionId(), userDid, roomId, createdAt: at, lastUpdatedAt: at };
      const values = { ...row, title: title ?? null, threadId: threadId ?? null };
      const [made] = await db.insert(oracleSessions).values(values).onConflictDoNothing().returning();
      return made;
    },

    /** Find the user's session. Another user's is not found. */
    async find(id: string, userDid: string): Promise<SessionRow | undefined> {
      const own = and(eq(oracleSessions.id, id), eq(oracleSessions.userDid, userDid));
      const [row] = await db.select().from(oracleSessions).where(own);
      return row;
    },

    async findThread(threadId: string, userDid: string): Promise<SessionRow | undefined> {
      const own = and(eq(oracleSessions.threadId, threadId), eq(oracleSessions.userDid, userDid));
      const [row] = await db.select().from(oracleSessions).where(own);
      return row;
    },

    /** Newest first. */
    async list(userDid: string, limit: number, offset: number): Promise<{ rows: SessionRow[]; total: number }> {
      const own = eq(oracleSessions.userDid, userDid);
      const order = [desc(oracleSessions.lastUpdatedAt), desc(oracleSessions.id)];
      const rows = await db
        .select()
        .from(oracleSessions)
        .where(own)
        .orderBy(...order)
        .limit(limit)
        .offset(offset);
      const [count] = await db.select({ total: sql<number>`count(*)::int` }).from(oracleSessions).where(own);
      return { rows, total: count?.total ?? 0 };
    },

    /** Delete a session with its messages and runs. False when the user has no such session. */
    async remove(id: string, userDid: string): Promise<boolean> {
      const own = and(eq(oracleSessions.id, id), eq(oracleSessions.userDid, userDid));
      return (await db.delete(oracleSessions).where(own).returning({ id: oracleSessions.id })).length === 1;
    },

    /** Add loaded plugins, which are never removed, and replace the state. */
    async saveState(id: string, change: { loadedPlugins?: string[]; state?: JsonObject }): Promise<void> {
      const { loadedPlugins, state } = change;
      const added = sql`(select coalesce(jsonb_agg(distinct name), '[]'::jsonb) from jsonb_array_elements_text(
        ${oracleSessions.loadedPlugins} || ${JSON.stringify(loadedPlugins ?? [])}::jsonb) as name)`;
      const set = { ...(loadedPlugins && { loadedPlugins: added }), ...(state && { state }) };
      if (Object.keys(set).length > 0) await db.update(oracleSessions).set(set).where(eq(oracleSessions.id, id));
    },
  };
}
