import { createHash, randomBytes } from "node:crypto";
import { and, asc, eq, gt, isNotNull, isNull, lt, ne, notInArray, or } from "drizzle-orm";
import type { Database } from "../../platform/db/index.ts";
import { oracleProcesses } from "../runs/tables.ts";
import {
  type CallRow,
  oracleCallInvitations,
  oracleCallParticipants,
  oracleCalls,
  type ParticipantRow,
} from "./tables.ts";

/** How long a process may be silent before it is treated as dead, in milliseconds. */
const deadMs = 15_000;
/** How long a participant without a socket stays in a call, in milliseconds. */
export const absenceMs = 30_000;
/** Most participants of a call: each is connected to every other one. */
const mostParticipants = 8;

const newId = (kind: "CALL" | "PART") => `${kind}-${randomBytes(16).toString("base64url")}`;
const hashOf = (invitation: string) => createHash("sha256").update(invitation).digest("hex");

export type CallStoreOptions = { db: Database; processId: string; exclusive: boolean };
export type NewParticipant = Pick<ParticipantRow, "did" | "kind" | "publicKey" | "muted" | "video" | "socketId">;
/** A returning participant: its identity, and the changed fields. */
export type ReturningParticipant = Omit<NewParticipant, "kind" | "socketId"> & { id: string; socketId: string };
export type CallStore = ReturnType<typeof createCallStore>;

export function createCallStore({ db, processId, exclusive }: CallStoreOptions) {
  const participants = oracleCallParticipants;
  /** Condition for rows of dead processes; the embedded database has only one process. */
  const ofTheDead = (now: Date) => {
    const others = ne(participants.processId, processId);
    const { id, seenAt } = oracleProcesses;
    const alive = db
      .select({ id })
      .from(oracleProcesses)
      .where(gt(seenAt, new Date(now.getTime() - deadMs)));
    return exclusive ? others : and(others, notInArray(participants.processId, alive));
  };

  return {
    /** Find the session's running call, or create one. */
    async open(sessionId: string, userDid: string, now: Date): Promise<CallRow> {
      const row = { id: newId("CALL"), sessionId, userDid, startedAt: now };
      await db.insert(oracleCalls).values(row).onConflictDoNothing();
      const call = await this.underWay(sessionId);
      if (call === undefined) throw new Error("The call ended while it began.");
      return call;
    },

    /** Find the session's running call. */
    async underWay(sessionId: string): Promise<CallRow | undefined> {
      const open = and(eq(oracleCalls.sessionId, sessionId), isNull(oracleCalls.endedAt));
      const [call] = await db.select().from(oracleCalls).where(open);
      return call;
    },

    /** End the session's running call and return it. */
    async end(sessionId: string, now: Date): Promise<CallRow | undefined> {
      const open = and(eq(oracleCalls.sessionId, sessionId), isNull(oracleCalls.endedAt));
      const [call] = await db.update(oracleCalls).set({ endedAt: now }).where(open).returning();
      return call;
    },

    /** Add a participant; undefined when the call is full, over, or already has an agent. */
    async add(callId: string, given: NewParticipant, now: Date): Promise<ParticipantRow | undefined> {
      return await db.transaction(async (tx) => {
        const open = and(eq(oracleCalls.id, callId), isNull(oracleCalls.endedAt));
        const [call] = await tx.select().from(oracleCalls).where(open).for("update");
        if (call === undefined) return undefined;
        const there = await tx.select().from(participants).where(eq(participants.callId, callId));
        if (there.length >= mostParticipants) return undefined;
        const row = { id: newId("PART"), callId, processId, joinedAt: now, ...given };
        const [added] = await tx.insert(participants).values(row).onConflictDoNothing().returning();
        return added;
      });
    },

    /** Give a participant that lost its socket a new one. Undefined if it is no longer in the call. */
    async resume(callId: string, given: ReturningParticipant): Promise<ParticipantRow | undefined> {
      const { id, did, publicKey, ...change } = given;
      const known = and(eq(participants.id, id), eq(participants.did, did), eq(participants.publicKey, publicKey));
      const [row] = await db
        .update(participants)
        .set({ ...change, processId, absentSince: null })
        .where(and(known, eq(participants.callId, callId)))
        .returning();
      return row;
    },

    /** Record that a participant's socket is lost, unless it has returned with another one. */
    async miss(id: string, socketId: string, now: Date): Promise<void> {
      const own = and(eq(participants.id, id), eq(participants.socketId, socketId));
      await db.update(participants).set({ absentSince: now }).where(own);
    },

    /**
     * Mark users of dead processes as absent. @returns participants that calls have lost: agents of dead processes, and users who
     * did not return
     */
    async lost(now: Date): Promise<ParticipantRow[]> {
      const dead = ofTheDead(now);
      const unnoticed = and(dead, eq(participants.kind, "user"), isNull(participants.absentSince));
      await db.update(participants).set({ absentSince: now }).where(unnoticed);
      const notBack = lt(participants.absentSince, new Date(now.getTime() - absenceMs));
      const agents = and(dead, eq(participants.kind, "agent"));
      return await db.select().from(participants).where(or(notBack, agents));
    },

    /** Read the DID of the call's owner. */
    async ownerOf(callId: string): Promise<string | undefined> {
      const [call] = await db.select({ did: oracleCalls.userDid }).from(oracleCalls).where(eq(oracleCalls.id, callId));
      return call?.did;
    },

    /** List the participants in the order in which they joined. */
    async participants(callId: string): Promise<ParticipantRow[]> {
      const inCall = eq(participants.callId, callId);
      return await db
        .select()
        .from(participants)
        .where(inCall)
        .orderBy(asc(participants.joinedAt), asc(participants.id));
    },

    async participant(id: string): Promise<ParticipantRow | undefined> {
      const [row] = await db.select().from(participants).where(eq(participants.id, id));
      return row;
    },

    async setState(id: string, state: Pick<ParticipantRow, "muted" | "video">): Promise<void> {
      await db.update(participants).set(state).where(eq(participants.id, id));
    },

    /**
     * Remove a participant. The call ends with the last participant of its owner. @param still remove it only in this state:
     * connected by that socket, or `absent`
     */
    async remove(
      id: string,
      now: Date,
      still: { socketId?: string; absent?: true } = {},
    ): Promise<{ call: CallRow; over: boolean } | undefined> {
      return await db.transaction(async (tx) => {
        const { socketId, absent } = still;
        const bySocket = socketId === undefined ? undefined : eq(participants.socketId, socketId);
        const isAbsent = absent && or(isNotNull(participants.absentSince), eq(participants.kind, "agent"));
        const own = and(eq(participants.id, id), bySocket, isAbsent);
        const [row] = await tx.delete(participants).where(own).returning();
        if (row === undefined) return undefined;
        const [call] = await tx.select().from(oracleCalls).where(eq(oracleCalls.id, row.callId)).for("update");
        if (call === undefined || call.endedAt !== null) return undefined;
        const left = await tx.select().from(participants).where(eq(participants.callId, call.id));
        const over = !left.some(({ did, kind }) => kind === "user" && did === call.userDid);
        if (over) await tx.update(oracleCalls).set({ endedAt: now }).where(eq(oracleCalls.id, call.id));
        return { call, over };
      });
    },

    /** Store an invitation for another user; only its hash is kept. */
    async invite(callId: string, expiresAt: Date): Promise<string> {
      const invitation = randomBytes(24).toString("base64url");
      await db.insert(oracleCallInvitations).values({ hash: hashOf(invitation), callId, expiresAt });
      return invitation;
    },

    /** Find the running call of an invitation. */
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
