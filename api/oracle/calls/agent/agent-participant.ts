import { randomBytes, randomUUID } from "node:crypto";
import { CallKeys, type KeyHolder, type WrappedKey } from "../../../../sdk/src/live-agent/call-keys.ts";
import { FrameOpener, FrameSealer } from "../../../../sdk/src/live-agent/media-frames.ts";
import type { Log } from "../../../platform/log.ts";
import type { CallListener, LiveCalls, ShownParticipant } from "../live-calls.ts";
import type { CallRow } from "../tables.ts";
import { AgentPeer, type AgentSignal } from "./agent-peer.ts";
import { Conversation, type ConversationDeps } from "./conversation.ts";
import { SpeechPlayer } from "./speech-player.ts";
import { UtteranceDetector } from "./utterance-detector.ts";

export type AgentParticipantDeps = ConversationDeps & {
  calls: LiveCalls;
  call: CallRow;
  /** The oracle's. */
  did: string;
  log: Log;
  onClose: () => void;
};

type Member = {
  facts: ShownParticipant;
  peer: AgentPeer;
  /** Media keys belong to the participant, so they stay valid when its connection is replaced. */
  opener: FrameOpener;
  voice: UtteranceDetector | undefined;
};

/** The agent's state for the other participants: it sends sound and no video. */
const placeOfAgent = { muted: false, video: false, socketId: null };
/** Most messages that are kept for participants that have not joined yet. */
const mostEarly = 100;
/** How long the others have a new key before it is used, in milliseconds. */
const keyLeadMs = 300;

/** The agent in one call: a participant with its own keys, that hears the call's owner. */
export class AgentParticipant {
  readonly #parts: AgentParticipantDeps;
  readonly #keys: CallKeys;
  readonly #sealer = new FrameSealer();
  readonly #members = new Map<string, Member>();
  /** Messages of participants whose join has not arrived yet: messages between processes may arrive out of order. */
  #early: { event: Parameters<CallListener>[0]; payload: Record<string, unknown> }[] = [];
  readonly #out: SpeechPlayer;
  readonly #conversation: Conversation;
  #id = "";
  #keyId = 0;
  #sealing: Promise<void> = Promise.resolve();
  #working: Promise<void> = Promise.resolve();
  #isClosed = false;

  private constructor(parts: AgentParticipantDeps, keys: CallKeys) {
    this.#parts = parts;
    this.#keys = keys;
    this.#out = new SpeechPlayer((frame) => this.#say(frame));
    this.#conversation = new Conversation(parts, {
      caption: (words) => this.#parts.calls.caption(this.#id, { id: randomUUID(), ...words }),
      say: (samples) => this.#out.say(samples),
      hush: () => this.#out.hush(),
      askForPayment: (claimIds) => this.#parts.calls.askForPayment(this.#id, claimIds),
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Join the call. @throws AppError CONFLICT when it is full, over, or has an agent */
  static async join(parts: AgentParticipantDeps): Promise<AgentParticipant> {
    const participant = new AgentParticipant(parts, await CallKeys.generate());
    await participant.#inTurn(() => participant.#enter());
    return participant;
  }

  /** Leave the call and stop speaking. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#conversation.close();
    this.#out.close();
    await this.#parts.calls.leave(this.#id);
    for (const id of [...this.#members.keys()]) await this.#drop(id);
    this.#parts.onClose();
  }

  async #enter(): Promise<void> {
    const { calls, call, did } = this.#parts;
    const own = { did, kind: "agent" as const, publicKey: this.#keys.publicKey, ...placeOfAgent };
    const { others } = await calls.join(call.id, own, (id) => {
      this.#id = id;
      calls.hear(id, (...heard) => void this.#inTurn(() => this.#hear(...heard)));
    });
    for (const facts of others) await this.#add(facts);
    await this.#changeKey(0);
    for (const { peer } of this.#members.values()) await peer.offer();
    await this.#conversation.greet();
  }

  /** Run work in order. A failure for one participant does not end the call for the others. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#working.then(() => (this.#isClosed ? undefined : work()));
    this.#working = done.catch((err: unknown) => this.#parts.log.warn({ err }, "the agent missed something of a call"));
    return done.catch((error: unknown) => {
      if (this.#id === "") throw error;
    });
  }

  async #hear(event: Parameters<CallListener>[0], payload: Record<string, unknown>): Promise<void> {
    const from = payload.from as string;
    const member = this.#members.get(from);
    if (event === "call_joined") {
      await this.#add(payload.participant as ShownParticipant);
      await this.#changeKey(keyLeadMs);
      for (const early of this.#early.splice(0)) await this.#hear(early.event, early.payload);
    } else if (event === "call_resumed") {
      // The participant has a new connection and has missed earlier offers, so offer again.
      if (member === undefined) await this.#add(payload.participant as ShownParticipant);
      else if (member.peer.isAwaitingAnswer) await this.#renew(member);
      await this.#changeKey(keyLeadMs);
    } else if (event === "call_left") {
      await this.#drop(from);
      await this.#changeKey(keyLeadMs);
    } else if (event === "call_ended") setImmediate(() => void this.close());
    else if (member === undefined) {
      if (this.#early.length < mostEarly) this.#early.push({ event, payload });
    } else if (event === "call_signal") {
      const signal = payload as AgentSignal;
      const bothOffer = signal.description?.type === "offer" && member.peer.isAwaitingAnswer;
      // Both have sent an offer; a fixed rule decides which of them yields.
      if (bothOffer && this.#id < from) return;
      if (bothOffer || signal.anew === true) await this.#renew(member);
      await member.peer.signal(signal);
    } else if (event === "call_key") {
      const wrapped = payload as unknown as WrappedKey;
      const way = { callId: this.#parts.call.id, from: member.facts, to: this.#own() };
      await member.opener.addKey(await this.#keys.unwrap(wrapped, way), wrapped.keyId);
    }
  }

  #own(): KeyHolder {
    return { id: this.#id, did: this.#parts.did, publicKey: this.#keys.publicKey };
  }

  /** The agent acts in the name of the call's owner, so it does not listen to guests. */
  async #add(facts: ShownParticipant): Promise<void> {
    const { call } = this.#parts;
    const isOwner = facts.kind === "user" && facts.did === call.userDid;
    const voice = isOwner && this.#conversation.canHear ? await UtteranceDetector.open(this.#conversation) : undefined;
    const opener = new FrameOpener();
    this.#members.set(facts.id, { facts, peer: this.#peerOf(facts.id, opener, voice), opener, voice });
  }

  #peerOf(id: string, opener: FrameOpener, voice: UtteranceDetector | undefined): AgentPeer {
    const { calls, log } = this.#parts;
    const send = (signal: AgentSignal) => {
      calls.relay(this.#id, id, "call_signal", signal).catch((err: unknown) => log.debug({ err }, "one has left"));
    };
    const hear = voice && ((frame: Int16Array) => voice.push(frame));
    return new AgentPeer({ iceServers: calls.iceServersFor(this.#id), send, opener, hear, log });
  }

  /** Replace a connection that no longer works. */
  async #renew(member: Member): Promise<void> {
    await member.peer.close();
    member.peer = this.#peerOf(member.facts.id, member.opener, member.voice);
  }

  async #drop(id: string): Promise<void> {
    const member = this.#members.get(id);
    this.#members.delete(id);
    await member?.peer.close();
    member?.voice?.close();
  }

  async #changeKey(leadMs: number): Promise<void> {
    const { calls, call } = this.#parts;
    const [keyId, base] = [this.#keyId++, new Uint8Array(randomBytes(32))];
    for (const { facts } of this.#members.values()) {
      try {
        const wrapped = await this.#keys.wrap(base, keyId, { callId: call.id, from: this.#own(), to: facts });
        await calls.relay(this.#id, facts.id, "call_key", wrapped);
      } catch (error) {
        // A participant that has left, or has an invalid key, does not get the key; the others do.
        this.#parts.log.debug({ err: error }, "a participant could not be given a key");
      }
    }
    const use = () => this.#sealer.takeKey(base, keyId);
    if (leadMs === 0) await use();
    else setTimeout(() => void use(), leadMs).unref();
  }

  #say(frame: Buffer): void {
    this.#sealing = this.#sealing.then(async () => {
      const sealed = await this.#sealer.seal("audio", new Uint8Array(frame));
      if (sealed !== undefined) for (const { peer } of this.#members.values()) peer.say(sealed);
    });
  }
}
