import { CallKeys, type KeyHolder, safetyNumber } from "./call-keys.ts";
import { CallPeer } from "./call-peer.ts";
import { idle, type LiveCallOptions, type LiveCallState } from "./call-state.ts";
import { LocalMedia, listDevices, type MediaChoice } from "./local-media.ts";
import { canEncryptMedia, MediaCipher } from "./media-cipher.ts";
import {
  ask,
  type CallEvent,
  type CallParticipant,
  type Caption,
  type Joined,
  onCallEvent,
  type Signal,
  type SignalChannel,
} from "./signalling.ts";

/** How long a new key is known to all before it is used, in milliseconds. */
const keyLeadMs = 300;
const speakingMs = 200;
const mostCaptions = 200;
/** Most signals that are kept of somebody of whom is not yet known that it came. */
const mostEarly = 100;

type Member = { facts: CallParticipant; peer: CallPeer };
type Call = { id: string; self: KeyHolder; keys: CallKeys; cipher: MediaCipher; iceServers: RTCIceServer[] };

/**
 * A live call of one session: media goes straight between its participants and is encrypted end to end. The state is a value
 * that is replaced; `subscribe` tells when.
 */
export class LiveCall {
  readonly #options: LiveCallOptions;
  readonly #listeners = new Set<() => void>();
  readonly #members = new Map<string, Member>();
  readonly #media = new LocalMedia();
  #early = new Map<string, Signal[]>();
  #state = idle;
  #channel: SignalChannel | undefined;
  #call: Call | undefined;
  /** Why there is no connection to the oracle. */
  #refusal: Error | undefined;
  #keyId = 0;
  #working: Promise<void> = Promise.resolve();
  /** Ends with the call: timers and listeners. */
  #closers: (() => void)[] = [];
  /** Which joining this is: what belongs to an earlier one is of no concern any more. */
  #round = 0;

  constructor(options: LiveCallOptions) {
    this.#options = options;
  }

  /** The state now; the same object until something changes. */
  getState = (): LiveCallState => this.#state;

  /** Be told when the state changes. Returns the way out. */
  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Take part: asks for the devices, then for the call. Failures are in `status` and `error`. */
  join = async (media: MediaChoice = this.#options.media ?? {}): Promise<void> => {
    const { status } = this.#state;
    if (status === "connecting" || status === "connected" || status === "reconnecting") return;
    const round = ++this.#round;
    this.#set({ ...idle, status: "connecting", audioOutput: this.#state.audioOutput });
    try {
      if (!canEncryptMedia()) throw new Error("This browser cannot encrypt media end to end.");
      await this.#media.open(media);
      if (round !== this.#round) return this.#media.close();
      this.#showMedia();
      this.#watch(this.#options.openChannel());
      await this.#inTurn(() => this.#enter());
    } catch (error) {
      if (round === this.#round) this.#finish("error", this.#refusal ?? errorOf(error));
    }
  };

  /** Leave the call and let the devices go. */
  leave = async (): Promise<void> => {
    const { status } = this.#state;
    if (status === "idle" || status === "ended" || status === "error") return;
    const left = this.#call === undefined ? undefined : this.#ask("call_leave");
    // Without an answer the oracle hears of it by the end of the connection.
    await left?.catch(() => {});
    this.#finish("ended", undefined);
  };

  setMuted = async (muted: boolean): Promise<void> => {
    const track = this.#media.track("audio");
    if (track === null && !muted && this.#call !== undefined) await this.#takeDevice("audio");
    else if (track !== null) track.enabled = !muted;
    this.#set({ isMuted: muted });
    await this.#tellState();
  };

  toggleMute = (): Promise<void> => this.setMuted(!this.#state.isMuted);

  /** Switch the camera on or off; off lets it go. @throws DOMException when it is refused */
  setVideoEnabled = async (enabled: boolean): Promise<void> => {
    if (this.#call === undefined) return;
    if (enabled && this.#media.track("video") === null) await this.#takeDevice("video");
    if (!enabled) {
      this.#media.drop("video");
      await this.#replaceTracks("video", null);
    }
    this.#showMedia();
    await this.#tellState();
  };

  /** Use another microphone, camera or loudspeaker. @throws DOMException when it is refused */
  selectDevice = async (kind: MediaDeviceKind, deviceId: string): Promise<void> => {
    if (kind === "audiooutput") return this.#set({ audioOutput: deviceId });
    await this.#takeDevice(kind === "audioinput" ? "audio" : "video", deviceId);
    this.#showMedia();
    await this.#tellState();
  };

  /** A word by which another user may join this call, and see nothing else of the session. Keep it secret. */
  invite = async (): Promise<{ invitation: string; expiresAt: string }> => await this.#ask("call_invite");

  /** Statistics of the connection to a participant, as the browser keeps them. */
  getStats = async (participantId: string): Promise<RTCStatsReport | undefined> =>
    await this.#members.get(participantId)?.peer.getStats();

  #watch(channel: SignalChannel): void {
    this.#channel = channel;
    let lost = false;
    const status = channel.onStatus((isConnected, error) => {
      if (this.#call === undefined) {
        this.#refusal = isConnected ? undefined : (error ?? this.#refusal);
      } else if (!isConnected) {
        lost = true;
        this.#set({ status: "reconnecting" });
      } else if (lost) {
        lost = false;
        const again = this.#inTurn(() => this.#enter());
        again.catch((failure: unknown) => this.#finish("error", errorOf(failure)));
      }
    });
    const events = onCallEvent(channel, (event) => {
      const round = this.#round;
      this.#inTurn(() => this.#hear(event)).catch((error: unknown) => {
        if (round === this.#round) this.#set({ error: errorOf(error) });
      });
    });
    const speaking = setInterval(() => this.#showSpeaking(), speakingMs);
    const showDevices = () => void listDevices().then((devices) => this.#set({ devices }));
    navigator.mediaDevices.addEventListener("devicechange", showDevices);
    showDevices();
    this.#closers = [
      status,
      events,
      () => clearInterval(speaking),
      () => navigator.mediaDevices.removeEventListener("devicechange", showDevices),
      () => channel.close(),
    ];
  }

  /** Come into the call, as somebody new each time. */
  async #enter(): Promise<void> {
    this.#dropMembers();
    const round = this.#round;
    const keys = await CallKeys.generate();
    const { did, agent = true } = this.#options;
    const { isMuted: muted } = this.#state;
    const said = { publicKey: keys.publicKey, muted, video: this.#media.track("video") !== null, agent };
    const { callId: id, participantId, participants, iceServers } = await this.#ask<Joined>("call_join", said);
    if (round !== this.#round) return;
    const self = { id: participantId, did, publicKey: keys.publicKey };
    this.#call = { id, self, keys, cipher: new MediaCipher(), iceServers };
    for (const facts of participants) this.#add(facts);
    await this.#changeKey(0);
    for (const { peer } of this.#members.values()) await peer.offer();
    this.#set({ status: "connected" });
    await this.#showSafetyNumber();
    await this.#hearEarly();
  }

  /** One after the other: what is heard of a call has an order. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const round = this.#round;
    const done = this.#working.then(() => (round === this.#round ? work() : undefined));
    this.#working = done.catch(() => {});
    return done;
  }

  async #hear({ eventName, payload }: CallEvent): Promise<void> {
    const call = this.#call;
    if (call !== undefined && payload.callId !== call.id) return;
    if (eventName === "call_joined") await this.#welcome(payload.participant);
    else if (eventName === "call_ended") this.#finish("ended", undefined);
    else if (eventName === "call_left") await this.#farewell(payload.from);
    else if (eventName === "call_signal") await this.#signal(payload);
    else if (eventName === "call_key" && call !== undefined) {
      const from = this.#members.get(payload.from)?.facts;
      if (from === undefined) return;
      const { keyId } = payload;
      const base = await call.keys.unwrap(payload, { callId: call.id, from, to: call.self });
      call.cipher.receiveWith(from.id, base, keyId);
    } else if (eventName === "call_state") {
      const member = this.#members.get(payload.from);
      if (member === undefined) return;
      const { muted, video } = payload;
      member.facts = { ...member.facts, muted, video };
      this.#showParticipants();
    } else if (eventName === "call_caption") this.#showCaption(payload);
  }

  async #welcome(facts: CallParticipant): Promise<void> {
    if (this.#call === undefined || this.#members.has(facts.id)) return;
    this.#add(facts);
    await this.#changeKey(keyLeadMs);
    await this.#showSafetyNumber();
    await this.#hearEarly();
  }

  async #farewell(id: string): Promise<void> {
    const member = this.#members.get(id);
    if (member === undefined) return;
    this.#members.delete(id);
    member.peer.close();
    this.#call?.cipher.forget(id);
    this.#showParticipants();
    // Whoever has left can read nothing that is said from now on.
    await this.#changeKey(keyLeadMs);
    await this.#showSafetyNumber();
  }

  async #signal({ from, description, candidate }: Signal & { from: string }): Promise<void> {
    const signal = { ...(description && { description }), ...(candidate && { candidate }) };
    const member = this.#members.get(from);
    if (member !== undefined) return await member.peer.hear(signal);
    const early = this.#early.get(from) ?? [];
    if (this.#early.size < mostEarly && early.length < mostEarly) this.#early.set(from, [...early, signal]);
  }

  async #hearEarly(): Promise<void> {
    for (const [from, signals] of this.#early) {
      const member = this.#members.get(from);
      if (member === undefined) continue;
      this.#early.delete(from);
      for (const signal of signals) await member.peer.hear(signal);
    }
  }

  #add(facts: CallParticipant): void {
    const call = this.#call;
    if (call === undefined) return;
    const { cipher, iceServers } = call;
    const { id } = facts;
    const send = async (signal: Signal) => {
      if (this.#members.has(id)) await this.#ask("call_signal", { to: id, ...signal });
    };
    const localTrack = (kind: "audio" | "video") => this.#media.track(kind);
    const changed = () => this.#showParticipants();
    this.#members.set(id, { facts, peer: new CallPeer({ id, iceServers, cipher, localTrack, send, changed }) });
    this.#showParticipants();
  }

  /** A new key for what this participant sends, told to everybody who is here now, and to nobody else. */
  async #changeKey(leadMs: number): Promise<void> {
    const call = this.#call;
    if (call === undefined) return;
    const keyId = this.#keyId++;
    const base = crypto.getRandomValues(new Uint8Array(32));
    for (const { facts } of this.#members.values()) {
      const wrapping = call.keys.wrap(base, keyId, { callId: call.id, from: call.self, to: facts });
      // Whoever has left meanwhile, or gave a key that is none, hears nothing; the others do.
      await wrapping.then((wrapped) => this.#ask("call_key", { to: facts.id, ...wrapped })).catch(() => {});
    }
    const use = () => call.cipher.sendWith(base, keyId);
    if (leadMs === 0) use();
    else setTimeout(use, leadMs);
  }

  async #takeDevice(kind: "audio" | "video", deviceId?: string): Promise<void> {
    const track = await this.#media.use(kind, deviceId);
    if (this.#call === undefined) return this.#media.close();
    if (kind === "audio") track.enabled = !this.#state.isMuted;
    await this.#replaceTracks(kind, track);
  }

  async #replaceTracks(kind: "audio" | "video", track: MediaStreamTrack | null): Promise<void> {
    for (const { peer } of this.#members.values()) await peer.replaceTrack(kind, track);
  }

  async #tellState(): Promise<void> {
    const { isMuted: muted, isVideoEnabled: video } = this.#state;
    if (this.#call !== undefined) await this.#ask("call_state", { muted, video });
  }

  async #ask<T>(event: string, payload: object = {}): Promise<T> {
    if (this.#channel === undefined) throw new Error("Join the call first.");
    return await ask<T>(this.#channel, event, payload);
  }

  #dropMembers(): void {
    for (const { peer } of this.#members.values()) peer.close();
    this.#members.clear();
    this.#early = new Map();
    this.#call?.cipher.close();
    this.#call = undefined;
  }

  #finish(status: "ended" | "error", error: Error | undefined): void {
    this.#round += 1;
    this.#dropMembers();
    for (const close of this.#closers.splice(0)) close();
    this.#channel = undefined;
    this.#media.close();
    const { captions, audioOutput, devices } = this.#state;
    this.#set({ ...idle, status, error, captions, audioOutput, devices });
  }

  #showMedia(): void {
    this.#set({ localStream: this.#media.stream, isVideoEnabled: this.#media.track("video") !== null });
  }

  #showParticipants(): void {
    const participants = [...this.#members.values()].map(({ facts: { id, did, kind, muted, video }, peer }) => ({
      ...{ id, did, kind, muted, video },
      ...{ stream: peer.stream, speaking: !muted && peer.isSpeaking, connected: peer.isConnected },
    }));
    this.#set({ participants });
  }

  #showSpeaking(): void {
    const members = [...this.#members.values()];
    const changed = members.some(({ facts, peer }, i) => {
      const shown = this.#state.participants[i];
      return shown?.id === facts.id && shown.speaking !== (!facts.muted && peer.isSpeaking);
    });
    if (changed) this.#showParticipants();
  }

  #showCaption({ id, from, role, text, isFinal }: Omit<Caption, "at">): void {
    const { captions } = this.#state;
    const at = captions.find((each) => each.id === id)?.at ?? Date.now();
    const caption = { id, from, role, text, isFinal, at };
    const others = captions.filter((each) => each.id !== id);
    this.#set({ captions: [...others, caption].slice(-mostCaptions) });
  }

  async #showSafetyNumber(): Promise<void> {
    const call = this.#call;
    const others = [...this.#members.values()].map(({ facts }) => facts);
    const holders = call === undefined || others.length === 0 ? undefined : [call.self, ...others];
    const digits = holders && call ? await safetyNumber(call.id, holders) : undefined;
    if (call === this.#call) this.#set({ safetyNumber: digits });
  }

  #set(change: Partial<LiveCallState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

function errorOf(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
