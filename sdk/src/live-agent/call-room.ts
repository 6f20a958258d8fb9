import { CallKeys, type KeyHolder, safetyNumber } from "./call-keys.ts";
import { CallPeer } from "./call-peer.ts";
import type { LiveParticipant } from "./call-state.ts";
import { MediaCipher } from "./media-cipher.ts";
import type { MediaKind } from "./media-frames.ts";
import type { CallEvent, CallParticipant, Joined, Signal } from "./signalling.ts";

/** Time between sending a new key to all participants and using it, in milliseconds. */
const keyLeadMs = 300;
/** Limit of events kept per participant whose join event has not arrived yet, and of such participants. */
const mostEarly = 100;

type Member = { facts: CallParticipant; stream: MediaStream; peer: CallPeer };
/** A participant's state, as it reports it. */
export type OwnState = { muted: boolean; video: boolean; agent: boolean };

export type RoomParts = {
  did: string;
  /** Connection settings, in addition to the oracle's. */
  rtc: Pick<RTCConfiguration, "iceServers" | "iceTransportPolicy">;
  ask: <T>(event: string, payload?: object) => Promise<T>;
  /** Run it after all earlier work, unless the room is left. */
  inTurn: (work: () => Promise<void>) => Promise<void>;
  localTrack: (kind: MediaKind) => MediaStreamTrack | null;
  /** Called when something visible has changed. */
  changed: () => void;
};

/** One stay in a call: the other participants, the connections to them, and the keys. */
export class CallRoom {
  readonly #parts: RoomParts;
  readonly #keys: CallKeys;
  readonly #cipher = new MediaCipher();
  readonly #members = new Map<string, Member>();
  #callId = "";
  #self: KeyHolder;
  #iceServers: RTCIceServer[] = [];
  readonly #early = new Map<string, CallEvent[]>();
  #keyId = 0;
  /** Twelve groups of five digits; undefined while there are no others. */
  safetyNumber: string | undefined;

  private constructor(parts: RoomParts, keys: CallKeys) {
    this.#parts = parts;
    this.#keys = keys;
    this.#self = { id: "", did: parts.did, publicKey: keys.publicKey };
  }

  /** Join the call as a new participant. @throws CallRefusedError */
  static async enter(parts: RoomParts, own: OwnState): Promise<CallRoom> {
    const keys = await CallKeys.generate();
    const joined = await parts.ask<Joined>("call_join", { publicKey: keys.publicKey, ...own });
    const room = new CallRoom(parts, keys);
    await room.#begin(joined);
    return room;
  }

  get callId(): string {
    return this.#callId;
  }

  /** The other participants, in the order in which they joined. */
  get participants(): LiveParticipant[] {
    return [...this.#members.values()].map(({ facts: { id, did, kind, muted, video }, stream, peer }) => ({
      id,
      did,
      kind,
      muted,
      video,
      stream,
      speaking: !muted && peer.isSpeaking,
      connected: peer.isConnected,
    }));
  }

  /** Whether all connections that once worked are lost. */
  get isCutOff(): boolean {
    const once = [...this.#members.values()].filter(({ peer }) => peer.wasConnected);
    return once.length > 0 && !once.some(({ peer }) => peer.isConnected);
  }

  async #begin({ callId, participantId, participants, iceServers }: Joined): Promise<void> {
    this.#callId = callId;
    this.#self = { ...this.#self, id: participantId };
    this.#iceServers = iceServers;
    for (const facts of participants) this.#add(facts);
    await this.#changeKey(0);
    for (const { peer } of this.#members.values()) await peer.offer();
    await this.#changed();
  }

  /** Rejoin as the same participant after a lost connection to the oracle. @throws CallRefusedError */
  async resume(own: OwnState): Promise<void> {
    const { id: resume, publicKey } = this.#self;
    const joined = await this.#parts.ask<Joined>("call_join", { publicKey, ...own, resume });
    this.#iceServers = joined.iceServers;
    const present = new Set(joined.participants.map(({ id }) => id));
    for (const id of [...this.#members.keys()]) if (!present.has(id)) this.#drop(id);
    for (const facts of joined.participants) this.#add(facts);
    await this.#changeKey(keyLeadMs);
    for (const member of [...this.#members.values()])
      if (this.#leads(member) || !member.peer.wasConnected) await this.#offerAgain(member);
    await this.#changed();
  }

  async hear({ eventName, payload }: CallEvent): Promise<void> {
    if (payload.callId !== this.#callId) return;
    if (eventName === "call_signal" || eventName === "call_key") {
      if (!this.#members.has(payload.from)) return this.#keep(payload.from, { eventName, payload } as CallEvent);
    }
    if (eventName === "call_joined") await this.#welcome(payload.participant);
    else if (eventName === "call_resumed") await this.#welcomeBack(payload.participant);
    else if (eventName === "call_left") await this.#farewell(payload.from);
    else if (eventName === "call_signal") await this.#signal(payload);
    else if (eventName === "call_key") {
      const from = this.#members.get(payload.from)?.facts;
      if (from === undefined) return;
      const base = await this.#keys.unwrap(payload, { callId: this.#callId, from, to: this.#self });
      this.#cipher.receiveWith(from.id, base, payload.keyId);
    } else if (eventName === "call_state") {
      const member = this.#members.get(payload.from);
      if (member === undefined) return;
      const { muted, video } = payload;
      member.facts = { ...member.facts, muted, video };
      this.#parts.changed();
    }
  }

  /** Replace the track of a kind that is sent to everyone; null sends nothing. */
  async replaceTracks(kind: MediaKind, track: MediaStreamTrack | null): Promise<void> {
    for (const { peer } of this.#members.values()) await peer.replaceTrack(kind, track);
  }

  /** Return the browser's statistics of the connection to a participant. */
  async getStats(id: string): Promise<RTCStatsReport | undefined> {
    return await this.#members.get(id)?.peer.getStats();
  }

  close(): void {
    for (const id of [...this.#members.keys()]) this.#drop(id);
    this.#cipher.close();
  }

  async #welcome(facts: CallParticipant): Promise<void> {
    if (this.#members.has(facts.id)) return;
    this.#add(facts);
    await this.#changeKey(keyLeadMs);
    await this.#changed();
  }

  /** Send a returning participant new keys and repeat the offer, which it may have missed. */
  async #welcomeBack(facts: CallParticipant): Promise<void> {
    const member = this.#members.get(facts.id);
    if (member?.peer.isAwaitingAnswer && !member.peer.wasConnected) this.#replace(member);
    this.#add(facts);
    await this.#changeKey(keyLeadMs);
    // Fails only if a connection is lost again; then the participant that returns starts again.
    if (member?.peer.wasConnected && this.#leads(member))
      await (member.peer.isAwaitingAnswer ? member.peer.repeatOffer() : this.#offerWithNewServers(member)).catch(
        () => {},
      );
    await this.#changed();
  }

  async #farewell(id: string): Promise<void> {
    if (!this.#members.has(id)) return;
    this.#drop(id);
    this.#parts.changed();
    // Who has left must not be able to decrypt what follows.
    await this.#changeKey(keyLeadMs);
    await this.#changed();
  }

  async #signal({ from, description, candidate, anew }: Signal & { from: string }): Promise<void> {
    const member = this.#members.get(from);
    if (member === undefined) return;
    const bothOffer = description?.type === "offer" && member.peer.isAwaitingAnswer;
    // Both sides offered: the one with the greater id yields.
    if (bothOffer && this.#self.id < from) return;
    if (anew || (bothOffer && !member.peer.wasConnected)) this.#replace(member);
    await member.peer.hear({ ...(description && { description }), ...(candidate && { candidate }) });
  }

  #keep(from: string, event: CallEvent): void {
    const early = this.#early.get(from) ?? [];
    if (this.#early.size < mostEarly && early.length < mostEarly) this.#early.set(from, [...early, event]);
  }

  async #hearEarly(): Promise<void> {
    for (const [from, events] of this.#early) {
      if (!this.#members.has(from)) continue;
      this.#early.delete(from);
      for (const event of events) await this.hear(event);
    }
  }

  #add(facts: CallParticipant): void {
    const { id } = facts;
    const member = this.#members.get(id);
    if (member !== undefined) {
      member.facts = facts;
      return;
    }
    const stream = new MediaStream();
    this.#members.set(id, { facts, stream, peer: this.#peerTo(facts, stream) });
    this.#parts.changed();
  }

  #drop(id: string): void {
    const member = this.#members.get(id);
    this.#members.delete(id);
    member?.peer.close();
    this.#cipher.forget(id);
  }

  #peerTo({ id, kind }: CallParticipant, stream: MediaStream): CallPeer {
    const { localTrack, changed, rtc, ask, inTurn } = this.#parts;
    const send = async (signal: Signal) => {
      if (this.#members.has(id)) await ask("call_signal", { to: id, ...signal });
    };
    const configuration = { ...rtc, iceServers: rtc.iceServers ?? this.#iceServers };
    const failed = () => {
      const member = this.#members.get(id);
      if (member?.peer !== peer || !(peer.wasConnected ? this.#leads(member) : peer.offers || kind === "agent")) return;
      inTurn(async () => {
        if (this.#members.get(id)?.peer === peer) await this.#offerWithNewServers(member);
        // Fails only if the connection to the oracle is lost too; its return starts everything again.
      }).catch(() => {});
    };
    const cipher = this.#cipher;
    const peer: CallPeer = new CallPeer({ id, configuration, cipher, stream, localTrack, send, changed, failed });
    return peer;
  }

  /** Replace a dead connection. */
  #replace(member: Member): void {
    member.peer.close();
    member.peer = this.#peerTo(member.facts, member.stream);
  }

  /**
   * Tell whether this side restarts the connection. It is always the same one of two, so that no offer is rolled back: after a
   * rollback Chromium passes received media to the decoder without the transform. The agent leaves it to the other side.
   */
  #leads({ facts: { id, kind } }: Member): boolean {
    return kind === "agent" || this.#self.id < id;
  }

  async #offerWithNewServers(member: Member): Promise<void> {
    ({ iceServers: this.#iceServers } = await this.#parts.ask<Pick<Joined, "iceServers">>("call_ice_servers"));
    await this.#offerAgain(member);
  }

  /** Restart a connection between users that once worked; replace any other. */
  async #offerAgain(member: Member): Promise<void> {
    if (member.facts.kind === "user" && member.peer.wasConnected) {
      return await member.peer.offerOtherWays(this.#parts.rtc.iceServers ?? this.#iceServers);
    }
    this.#replace(member);
    await member.peer.offer({ anew: true });
  }

  /** Change the key of what this participant sends, and send it to the present participants only. */
  async #changeKey(leadMs: number): Promise<void> {
    const keyId = this.#keyId++;
    const base = crypto.getRandomValues(new Uint8Array(32));
    const telling = [...this.#members.values()].map(async ({ facts }) => {
      const wrapped = await this.#keys.wrap(base, keyId, { callId: this.#callId, from: this.#self, to: facts });
      await this.#parts.ask("call_key", { to: facts.id, ...wrapped });
    });
    // A participant who has left, or sent an invalid public key, gets no key; the others do.
    await Promise.allSettled(telling);
    const use = () => this.#cipher.sendWith(base, keyId);
    if (leadMs === 0) use();
    else setTimeout(use, leadMs);
  }

  async #changed(): Promise<void> {
    const others = [...this.#members.values()].map(({ facts }) => facts);
    this.safetyNumber = others.length === 0 ? undefined : await safetyNumber(this.#callId, [this.#self, ...others]);
    this.#parts.changed();
    await this.#hearEarly();
  }
}
