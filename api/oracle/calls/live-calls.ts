import type { Server } from "socket.io";
import { AppError } from "../../platform/errors.ts";
import type { Log } from "../../platform/log.ts";
import type { Worker, Workers } from "../../platform/workers/index.ts";
import type { Bus, CallEvent } from "../wire/bus.ts";
import type { CallStoreOptions } from "./call-store.ts";
import { type CallStore, createCallStore, type NewParticipant, type ReturningParticipant } from "./call-store.ts";
import { type IceOptions, type IceServer, iceServersFor } from "./ice-servers.ts";
import type { CallRow, ParticipantRow } from "./tables.ts";

/** A participant as the others see it. */
export type ShownParticipant = Pick<ParticipantRow, "id" | "did" | "kind" | "publicKey" | "muted" | "video">;

export type CallListener = (event: CallEvent, payload: Record<string, unknown>) => void;

/** Adds the oracle's agent to a call. */
export type CallAgent = (calls: LiveCalls, call: CallRow) => Promise<void>;

/** How long an invitation can be used, in milliseconds. */
const invitationMs = 24 * 3600_000;

/** How often lost participants are removed, in milliseconds. */
const lookMs = 5_000;

type Parts = CallStoreOptions & {
  io: Server;
  bus: Bus;
  clock: { now: () => Date };
  log: Log;
  workers: Workers;
  ice: IceOptions;
  /** Undefined if the agent takes no calls. */
  agent: CallAgent | undefined;
};

/** Name of the socket.io room of one participant, in every process. */
export const roomOfParticipant = (id: string) => `participant:${id}`;

/** Live calls of all sessions: their participants, and the messages between them. Media does not pass through the server. */
export class LiveCalls {
  readonly #store: CallStore;
  readonly #parts: Parts;
  /** Participants of this process that have no socket. */
  readonly #listeners = new Map<string, CallListener>();
  readonly #looking: Worker;
  /** Writes that must finish before the process ends. */
  readonly #working = new Set<Promise<void>>();
  /** Resolves when the participants of an earlier process are marked as absent. */
  readonly ready: Promise<void>;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#store = createCallStore(parts);
    parts.bus.on("call", ({ to, event, payload }) => this.#listeners.get(to)?.(event, payload));
    const run = () => this.#removeLost();
    this.#looking = parts.workers.add({ name: "lost-participants", everyMs: lookMs, firstAfterMs: lookMs, run });
    this.#looking.start();
    this.ready = this.takeOutLost();
  }

  /** Whether the agent takes calls here. */
  get hasAgent(): boolean {
    return this.#parts.agent !== undefined;
  }

  /** ICE servers for one participant, with relay credentials that last some hours. */
  iceServersFor(participantId: string): IceServer[] {
    return iceServersFor(this.#parts.ice, participantId, this.#now());
  }

  /** Wait for this before the database is closed. A failure is logged. */
  finish(work: Promise<void>): void {
    const { log } = this.#parts;
    const done = work.catch((err: unknown) => log.error({ err }, "the participants of calls could not be stored"));
    this.#working.add(done);
    void done.then(() => this.#working.delete(done));
  }

  async close(): Promise<void> {
    await this.#looking.close();
    await Promise.all(this.#working);
  }

  #now(): Date {
    return this.#parts.clock.now();
  }

  /** Find or start the call of a session. The caller must have checked the session's owner. */
  async ofSession(sessionId: string, userDid: string): Promise<CallRow> {
    return await this.#store.open(sessionId, userDid, this.#now());
  }

  /** @throws AppError NOT_FOUND for an unknown or expired invitation, or if the call has ended */
  async ofInvitation(invitation: string): Promise<CallRow> {
    const call = await this.#store.invited(invitation, this.#now());
    if (call === undefined) throw new AppError("NOT_FOUND", "There is no call for this invitation.");
    return call;
  }

  /** Create an invitation with which another user may join this call. */
  async invite(callId: string): Promise<{ invitation: string; expiresAt: string }> {
    const expiresAt = new Date(this.#now().getTime() + invitationMs);
    return { invitation: await this.#store.invite(callId, expiresAt), expiresAt: expiresAt.toISOString() };
  }

  /**
   * Add a participant. The others are notified after `ready`, which subscribes it to messages.
   * @throws AppError CONFLICT when the call is full or over
   */
  async join(
    callId: string,
    given: NewParticipant,
    ready: (id: string) => void | Promise<void>,
  ): Promise<{ id: string; others: ShownParticipant[] }> {
    const added = await this.#store.add(callId, given, this.#now());
    if (added === undefined) throw new AppError("CONFLICT", "The call is full or over.");
    await ready(added.id);
    const others = await this.#others(added);
    for (const other of others) this.#tell(other, "call_joined", { callId, participant: show(added) });
    return { id: added.id, others: others.map(show) };
  }

  /**
   * Reconnect a participant by another socket. The others are notified after `ready`. @throws AppError NOT_FOUND when it is no
   * longer in the call
   */
  async resume(
    callId: string,
    given: ReturningParticipant,
    ready: (id: string) => Promise<void>,
  ): Promise<{ id: string; others: ShownParticipant[] }> {
    const row = await this.#store.resume(callId, given);
    if (row === undefined) throw gone();
    await ready(row.id);
    const others = await this.#others(row);
    for (const other of others) this.#tell(other, "call_resumed", { callId, participant: show(row) });
    return { id: row.id, others: others.map(show) };
  }

  /** Find the session's running call. @throws AppError NOT_FOUND when there is none */
  async underWay(sessionId: string): Promise<CallRow> {
    const call = await this.#store.underWay(sessionId);
    if (call === undefined) throw gone();
    return call;
  }

  /** Deliver messages to a participant of this process that has no socket. */
  hear(id: string, hear: CallListener): void {
    this.#listeners.set(id, hear);
  }

  /** Pass a message from one participant to another of the same call. @throws AppError NOT_FOUND for an unknown recipient */
  async relay(from: string, to: string, event: "call_signal" | "call_key", payload: object): Promise<void> {
    const [sender, receiver] = await Promise.all([this.#participant(from), this.#participant(to)]);
    if (sender.callId !== receiver.callId || from === to) throw notThere();
    this.#tell(receiver, event, { ...payload, callId: sender.callId, from });
  }

  /** @throws AppError NOT_FOUND when the participant has left */
  async setState(id: string, state: { muted: boolean; video: boolean }): Promise<void> {
    const row = await this.#participant(id);
    await this.#store.setState(id, state);
    await this.#tellOthers(row, "call_state", { ...state, from: id });
  }

  /** Show a caption to everyone in the call, including the speaker. */
  async caption(id: string, caption: Record<string, unknown>): Promise<void> {
    const row = await this.#participant(id);
    await this.#tellOthers(row, "call_caption", { ...caption, from: id });
  }

  /** Ask the participants of the call's owner to pay claims. */
  async askForPayment(id: string, claimIds: string[]): Promise<void> {
    const row = await this.#participant(id);
    const owner = await this.#store.ownerOf(row.callId);
    const theirs = (await this.#others(row)).filter(({ did, kind }) => kind === "user" && did === owner);
    for (const each of theirs) this.#tell(each, "call_payment_required", { callId: row.callId, from: id, claimIds });
  }

  /** @param still remove it only in this state */
  async leave(id: string, still?: { socketId?: string; absent?: true }): Promise<CallRow | undefined> {
    if (still === undefined) this.#listeners.delete(id);
    const left = await this.#store.remove(id, this.#now(), still);
    if (left === undefined) return undefined;
    const event = left.over ? "call_ended" : "call_left";
    for (const row of await this.#store.participants(left.call.id))
      this.#tell(row, event, { callId: left.call.id, from: id });
    return left.over ? undefined : left.call;
  }

  /** Record that a participant's socket is lost. It stays in the call for a while and may reconnect. */
  async miss(id: string, socketId: string): Promise<void> {
    await this.#store.miss(id, socketId, this.#now());
  }

  /** Remove participants that did not return, and agents of dead processes, which this process's agent replaces. */
  async takeOutLost(): Promise<void> {
    await this.#looking.runNow();
  }

  async #removeLost(): Promise<void> {
    for (const { id, kind } of await this.#store.lost(this.#now())) {
      const call = await this.leave(id, { absent: true });
      if (call !== undefined && kind === "agent") await this.bringAgent(call);
    }
  }

  /** End the session's call for all participants, before the session is deleted. */
  async endOf(sessionId: string): Promise<void> {
    const call = await this.#store.end(sessionId, this.#now());
    if (call === undefined) return;
    const payload = { callId: call.id };
    for (const row of await this.#store.participants(call.id)) this.#tell(row, "call_ended", payload);
  }

  /** Add the agent to a call, if the agent takes calls. */
  async bringAgent(call: CallRow): Promise<void> {
    const { agent } = this.#parts;
    if (agent === undefined) return;
    const participants = await this.#store.participants(call.id);
    if (!participants.some(({ kind }) => kind === "agent")) await agent(this, call);
  }

  async #participant(id: string): Promise<ParticipantRow> {
    const row = await this.#store.participant(id);
    if (row === undefined) throw notThere();
    return row;
  }

  async #others({ id, callId }: ParticipantRow): Promise<ParticipantRow[]> {
    return (await this.#store.participants(callId)).filter((row) => row.id !== id);
  }

  async #tellOthers(row: ParticipantRow, event: CallEvent, payload: Record<string, unknown>): Promise<void> {
    for (const other of await this.#others(row)) this.#tell(other, event, { ...payload, callId: row.callId });
  }

  #tell({ id, kind, processId }: ParticipantRow, event: CallEvent, payload: Record<string, unknown>): void {
    const { io, bus } = this.#parts;
    // These events contain no session or request id, because guests may know neither.
    const said = { sessionId: "", requestId: "", ...payload };
    if (kind === "user") io.to(roomOfParticipant(id)).emit("event", { eventName: event, payload: said });
    else if (processId === this.#parts.processId) this.#listeners.get(id)?.(event, said);
    else bus.publish("call", { to: id, event, payload: said });
  }
}

function show({ id, did, kind, publicKey, muted, video }: ParticipantRow): ShownParticipant {
  return { id, did, kind, publicKey, muted, video };
}

function gone(): AppError {
  return new AppError("NOT_FOUND", "You are no longer in the call. Join it again.");
}

function notThere(): AppError {
  return new AppError("NOT_FOUND", "There is no such participant in your call.");
}
