import { createHash, randomBytes } from "node:crypto";
import { and, asc, eq, gt, inArray, isNull, or } from "drizzle-orm";
import type { Database } from "../../db/client.ts";
import { oracleProcesses } from "../tables.ts";
import {
  type CallRow,
  oracleCallInvitations,
  oracleCallParticipants,
  oracleCalls,
  type ParticipantRow,
} from "./tables.ts";

/** After how long without a word a process is taken for dead, in milliseconds. */
const deadMs = 15_000;
/** Most participants of a call: each has a connection to each. */
const mostParticipants = 8;

const newId = (kind: "CALL" | "PART") => `${kind}-${randomBytes(16).toString("base64url")}`;
const hashOf = (invitation: string) => createHash("sha256").update(invitation).digest("hex");

export type CallStoreOptions = { db: Database; processId: string; exclusive: boolean };
export type NewParticipant = Pick<ParticipantRow, "did" | "kind" | "publicKey" | "muted" | "video">;
export type CallStore = ReturnType<typeof createCallStore>;

export function createCallStore({ db, processId, exclusive }: CallStoreOptions) {
  /** Of processes that live; the embedded database has one. */
  const present = (now: Date) => {
    const { id, seenAt } = oracleProcesses;
    const alive = db
      .select({ id })
      .from(oracleProcesses)
      .where(gt(seenAt, new Date(now.getTime() - deadMs)));
    const own = eq(oracleCallParticipants.processId, processId);
    return exclusive ? own : or(own, inArray(oracleCallParticipants.processId, alive));
  };

  return {
    /** The session's call under way, begun when there is none. */
    async open(sessionId: string, userDid: string, now: Date): Promise<CallRow> {
      const row = { id: newId("CALL"), sessionId, userDid, startedAt: now };
      await db.insert(oracleCalls).values(row).onConflictDoNothing();
      const [call] = await db
        .select()
        .from(oracleCalls)
        .where(and(eq(oracleCalls.sessionId, sessionId), isNull(oracleCalls.endedAt)));
      if (call === undefined) throw new Error("The call ended while it began.");
      return call;
    },

    /** The session's call under way, which is over with this. */
    async end(sessionId: string, now: Date): Promise<CallRow | undefined> {
      const open = and(eq(oracleCalls.sessionId, sessionId), isNull(oracleCalls.endedAt));
      const [call] = await db.update(oracleCalls).set({ endedAt: now }).where(open).returning();
      return call;
    },

    /** Undefined when the call is full, over, or has an agent already. */
    async add(callId: string, given: NewParticipant, now: Date): Promise<ParticipantRow | undefined> {
      return await db.transaction(async (tx) => {
        const open = and(eq(oracleCalls.id, callId), isNull(oracleCalls.endedAt));
        const [call] = await tx.select().from(oracleCalls).where(open).for("update");
        if (call === undefined) return undefined;
        const inCall = eq(oracleCallParticipants.callId, callId);
        const there = await tx
          .select()
          .from(oracleCallParticipants)
          .where(and(inCall, present(now)));
        if (there.length >= mostParticipants) return undefined;
        // What a process that died has left is in nobody's way.
        const gone = await tx.select({ id: oracleCallParticipants.id }).from(oracleCallParticipants).where(inCall);
        const stale = gone.map(({ id }) => id).filter((id) => !there.some((each) => each.id === id));
        if (stale.length > 0) await tx.delete(oracleCallParticipants).where(inArray(oracleCallParticipants.id, stale));
        const row = { id: newId("PART"), callId, processId, joinedAt: now, ...given };
        const [added] = await tx.insert(oracleCallParticipants).values(row).onConflictDoNothing().returning();
        return added;
      });
    },

    /** In the order of their coming. */
    async participants(callId: string, now: Date): Promise<ParticipantRow[]> {
      const inCall = and(eq(oracleCallParticipants.callId, callId), present(now));
      return await db
        .select()
        .from(oracleCallParticipants)
        .where(inCall)
        .orderBy(asc(oracleCallParticipants.joinedAt), asc(oracleCallParticipants.id));
    },

    async participant(id: string, now: Date): Promise<ParticipantRow | undefined> {
      const [row] = await db
        .select()
        .from(oracleCallParticipants)
        .where(and(eq(oracleCallParticipants.id, id), present(now)));
      return row;
    },

    async setState(id: string, state: Pick<ParticipantRow, "muted" | "video">): Promise<void> {
      await db.update(oracleCallParticipants).set(state).where(eq(oracleCallParticipants.id, id));
    },

    /** Take a participant out. The call is over with the last participant of the user whose call it is. */
    async remove(id: string, now: Date): Promise<{ call: CallRow; over: boolean } | undefined> {
      return await db.transaction(async (tx) => {
        const [row] = await tx.delete(oracleCallParticipants).where(eq(oracleCallParticipants.id, id)).returning();
        if (row === undefined) return undefined;
        const [call] = await tx.select().from(oracleCalls).where(eq(oracleCalls.id, row.callId)).for("update");
        if (call === undefined || call.endedAt !== null) return undefined;
        const inCall = and(eq(oracleCallParticipants.callId, call.id), present(now));
        const left = await tx.select().from(oracleCallParticipants).where(inCall);
        const over = !left.some(({ did, kind }) => kind === "user" && did === call.userDid);
        if (over) await tx.update(oracleCalls).set({ endedAt: now }).where(eq(oracleCalls.id, call.id));
        return { call, over };
      });
    },

    /** A word by which another user may join; only its hash is kept. */
    async invite(callId: string, expiresAt: Date): Promise<string> {
      const invitation = randomBytes(24).toString("base64url");
      await db.insert(oracleCallInvitations).values({ hash: hashOf(invitation), callId, expiresAt });
      return invitation;
    },

    /** The call under way that an invitation is for. */
    async invited(invitation: string, now: Date): Promise<CallRow | undefined> {
      const valid = and(
        eq(oracleCallInvitations.hash, hashOf(invitation)),
        gt(oracleCallInvitations.expiresAt, now),
        isNull(oracleCalls.endedAt),
      );
      const [row] = await db
        .select({ call: oracleCalls })
        .from(oracleCallInvitations)
        .innerJoin(oracleCalls, eq(oracleCalls.id, oracleCallInvitations.callId))
        .where(valid);
      return row?.call;
    },
  };
}
