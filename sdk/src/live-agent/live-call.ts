import { CallRoom, type OwnState } from "./call-room.ts";
import { type CallConnection, idle, type LiveCallOptions, type LiveCallState } from "./call-state.ts";
import { DeviceError } from "./device-error.ts";
import { LocalMedia, listDevices, type MediaChoice } from "./local-media.ts";
import { canEncryptMedia } from "./media-cipher.ts";
import type { MediaKind } from "./media-frames.ts";
import {
  ask,
  type CallEvent,
  CallLostError,
  CallRefusedError,
  type Caption,
  onCallEvent,
  type SignalChannel,
} from "./signalling.ts";

const speakingMs = 200;
const mostCaptions = 200;
const reconnectMs = 60_000;

/**
 * Run one live call of a session. Media flows directly between participants and is encrypted end to end. Each change replaces the
 * state and notifies subscribers.
 * @example
 * ```ts
 * import type { Connections } from "@hearth/oracles-client-sdk/core";
 * import { LiveCall } from "@hearth/oracles-client-sdk/live-agent";
 *
 * export async function call(connections: Connections, did: string, oracleDid: string, sessionId: string) {
 *   const openChannel = () => connections.channelOf({ oracleDid, sessionId, url: "http://localhost:3000" });
 *   const call = new LiveCall({ openChannel, did, media: { audio: true, video: false } });
 *   call.subscribe(() => console.log(call.getState().status));
 *   await call.join();
 *   return call;
 * }
 * ```
 */
export class LiveCall {
  readonly #options: LiveCallOptions;
  readonly #listeners = new Set<() => void>();
  readonly #media = new LocalMedia((kind) => void this.#loseDevice(kind));
  #state = idle;
  /** Choices made before joining. */
  #chosen: Partial<Record<MediaKind, boolean | string>> = {};
  #channel: SignalChannel | undefined;
  #room: CallRoom | undefined;
  /** Why the oracle refused the connection. */
  #refusal: Error | undefined;
  /** Whether the connection to the oracle is lost. */
  #isLost = false;
  #givingUp: ReturnType<typeof setTimeout> | undefined;
  #working: Promise<void> = Promise.resolve();
  /** Functions that stop the call's timers and listeners. */
  #closers: (() => void)[] = [];
  /** Number of this attempt to join; results of earlier attempts are ignored. */
  #round = 0;

  constructor(options: LiveCallOptions) {
    this.#options = options;
  }

  /** Return the current state; the same object until something changes. */
  getState = (): LiveCallState => this.#state;

  /** Call a listener when the state changes. Returns a function that stops. */
  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Request the devices and join the call. Failures are in `status` and `error`. */
  join = async (media: MediaChoice = this.#options.media ?? {}): Promise<void> => {
    const { status, audioOutput, isMuted } = this.#state;
    if (status === "connecting" || status === "connected" || status === "reconnecting") return;
    const round = ++this.#round;
    this.#set({ ...idle, status: "connecting", audioOutput, isMuted });
    try {
      if (!canEncryptMedia()) throw new Error("This browser cannot encrypt media end to end.");
      const deviceProblem = await this.#media.open(this.#choice(media));
      if (round !== this.#round) return this.#media.close();
      const microphone = this.#media.track("audio");
      if (microphone !== null) microphone.enabled = !isMuted;
      this.#set({ deviceProblem, isMuted: isMuted || microphone === null });
      this.#showMedia();
      this.#watch(this.#options.openChannel());
      await this.#inTurn(() => this.#enter());
    } catch (error) {
      if (round === this.#round) this.#finish("error", this.#refusal ?? errorOf(error));
    }
  };

  /** Leave the call and release the devices. */
  leave = async (): Promise<void> => {
    const { status } = this.#state;
    if (status === "idle" || status === "ended" || status === "error") return;
    const left = this.#channel === undefined || this.#isLost ? undefined : this.#ask("call_leave");
    // If the request fails, the oracle notices the closed connection.
    const settled = left?.catch(() => {});
    if (this.#room !== undefined) await settled;
    this.#finish("ended", undefined);
  };

  /** Mute or unmute the microphone; before joining, for the start of the call. @throws DeviceError */
  setMuted = async (muted: boolean): Promise<void> => {
    const track = this.#media.track("audio");
    if (track === null && !muted && this.#room !== undefined) await this.#takeDevice("audio");
    else if (track !== null) track.enabled = !muted;
    this.#set({ isMuted: muted });
    await this.#tellState();
  };

  toggleMute = (): Promise<void> => this.setMuted(!this.#state.isMuted);

  /** Switch the camera on, or off and release it; before joining, for the start of the call. @throws DeviceError */
  setVideoEnabled = async (enabled: boolean): Promise<void> => {
    if (this.#room === undefined) {
      this.#chosen = { ...this.#chosen, video: enabled && (this.#chosen.video || true) };
      return;
    }
    if (enabled && this.#media.track("video") === null) await this.#takeDevice("video");
    if (!enabled) await this.#dropDevice("video");
    this.#showMedia();
    await this.#tellState();
  };

  /** Switch to another microphone, camera or loudspeaker, also before joining. On failure the old one stays. @throws DeviceError */
  selectDevice = async (kind: MediaDeviceKind, deviceId: string): Promise<void> => {
    if (kind === "audiooutput") return this.#set({ audioOutput: deviceId });
    const media = kind === "audioinput" ? "audio" : "video";
    if (this.#room === undefined) {
      this.#chosen = { ...this.#chosen, [media]: deviceId };
      return;
    }
    await this.#takeDevice(media, deviceId);
    this.#showMedia();
    await this.#tellState();
  };

  /** Create a secret with which another user can join this call, without access to the rest of the session. @throws CallRefusedError */
  invite = async (): Promise<{ invitation: string; expiresAt: string }> => await this.#ask("call_invite");

  /** Return the browser's statistics of the connection to a participant. */
  getStats = async (participantId: string): Promise<RTCStatsReport | undefined> =>
    await this.#room?.getStats(participantId);

  /** Combine the requested media with the user's choices. */
  #choice(media: MediaChoice): MediaChoice {
    const of = (kind: MediaKind, fallback: boolean) => {
      const [chosen, asked = fallback] = [this.#chosen[kind], media[kind]];
      if (typeof chosen !== "string") return chosen ?? asked;
      return { ...(typeof asked === "object" && asked), deviceId: { exact: chosen } };
    };
    return { audio: of("audio", true), video: of("video", false) };
  }

  #watch(channel: SignalChannel): void {
    this.#channel = channel;
    const status = channel.onStatus((isConnected, error) => {
      this.#refusal = isConnected ? undefined : (error ?? this.#refusal);
      if (this.#room === undefined) return;
      if (!isConnected) this.#lose();
      else if (this.#isLost) this.#inTurn(() => this.#comeBack()).catch((failure) => this.#fail(failure));
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
    // A closed page cannot return to its call, so the others need not wait for it.
    const leave = () => void this.leave();
    window.addEventListener("pagehide", leave);
    this.#closers = [
      status,
      events,
      () => clearInterval(speaking),
      () => clearTimeout(this.#givingUp),
      () => navigator.mediaDevices.removeEventListener("devicechange", showDevices),
      () => window.removeEventListener("pagehide", leave),
      () => channel.close(),
    ];
  }

  /** Handle a lost connection to the oracle; media continues while its own connections work. */
  #lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    const giveUp = () => this.#finish("error", new CallLostError(this.#refusal));
    this.#givingUp = setTimeout(giveUp, this.#connection().reconnectMs ?? reconnectMs);
    this.#showParticipants();
  }

  async #comeBack(): Promise<void> {
    try {
      await this.#room?.resume(this.#ownState());
    } catch (error) {
      // The oracle has removed this participant; the call may still exist.
      if (!(error instanceof CallRefusedError && error.code === "NOT_FOUND")) throw error;
      this.#room?.close();
      await this.#enter();
    }
    if (this.#channel === undefined) return;
    clearTimeout(this.#givingUp);
    this.#isLost = false;
    this.#showParticipants();
    await this.#tellState();
  }

  /** Handle a failed return: end the call on a refusal; a connection lost again is retried. */
  #fail(error: unknown): void {
    if (error instanceof CallRefusedError) this.#finish("error", error);
  }

  async #enter(): Promise<void> {
    const { did } = this.#options;
    const round = this.#round;
    const { iceServers, iceTransportPolicy } = this.#connection();
    const rtc = { ...(iceServers && { iceServers }), ...(iceTransportPolicy && { iceTransportPolicy }) };
    const room = await CallRoom.enter(
      {
        did,
        rtc,
        ask: (event, payload) => this.#ask(event, payload),
        inTurn: (work) => this.#inTurn(work),
        localTrack: (kind) => this.#media.track(kind),
        changed: () => this.#showParticipants(),
      },
      this.#ownState(),
    );
    if (round !== this.#round) return room.close();
    this.#room = room;
    this.#showParticipants();
  }

  #connection(): CallConnection {
    const { connection = {} } = this.#options;
    return typeof connection === "function" ? connection() : connection;
  }

  /** Run work one after the other, because events of a call are ordered. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const round = this.#round;
    const done = this.#working.then(() => (round === this.#round ? work() : undefined));
    this.#working = done.catch(() => {});
    return done;
  }

  async #hear(event: CallEvent): Promise<void> {
    if (event.eventName === "call_caption") this.#showCaption(event.payload);
    else if (event.eventName === "call_ended") this.#finish("ended", undefined);
    else if (event.eventName === "call_payment_required") {
      this.#options.onPaymentRequiredError?.(event.payload.claimIds);
    } else await this.#room?.hear(event);
  }

  async #takeDevice(kind: MediaKind, deviceId?: string | null): Promise<void> {
    const round = this.#round;
    const track = await this.#media.use(kind, deviceId);
    if (round !== this.#round) return this.#media.close();
    if (kind === "audio") track.enabled = !this.#state.isMuted;
    if (this.#state.deviceProblem?.kind === kind) this.#set({ deviceProblem: undefined });
    await this.#room?.replaceTracks(kind, track);
    this.#showMedia();
  }

  async #dropDevice(kind: MediaKind): Promise<void> {
    this.#media.drop(kind);
    await this.#room?.replaceTracks(kind, null);
  }

  /** Replace a device that was unplugged or forbidden by any other, or continue without one. */
  async #loseDevice(kind: MediaKind): Promise<void> {
    const round = this.#round;
    try {
      await this.#takeDevice(kind, null);
    } catch (error) {
      if (round !== this.#round) return;
      await this.#dropDevice(kind);
      const isMuted = kind === "audio" || this.#state.isMuted;
      this.#set({ isMuted, deviceProblem: error instanceof DeviceError ? error : new DeviceError(kind, error) });
    }
    if (round !== this.#round) return;
    this.#showMedia();
    await this.#tellState();
  }

  #ownState(): OwnState {
    const { agent = true } = this.#options;
    return { muted: this.#state.isMuted, video: this.#media.track("video") !== null, agent };
  }

  async #tellState(): Promise<void> {
    const { muted, video } = this.#ownState();
    // A return sends the state anyway.
    if (this.#room !== undefined && !this.#isLost) await this.#ask("call_state", { muted, video });
  }

  async #ask<T>(event: string, payload: object = {}): Promise<T> {
    if (this.#channel === undefined) throw new Error("Join the call first.");
    return await ask<T>(this.#channel, event, payload);
  }

  #finish(status: "ended" | "error", error: Error | undefined): void {
    this.#round += 1;
    this.#room?.close();
    this.#room = undefined;
    this.#isLost = false;
    this.#refusal = undefined;
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
    const room = this.#room;
    if (room === undefined) return;
    const status = this.#isLost || room.isCutOff ? "reconnecting" : "connected";
    const { callId, participants, safetyNumber } = room;
    this.#set({ status, callId, participants, safetyNumber });
  }

  #showSpeaking(): void {
    const now = this.#room?.participants ?? [];
    const changed = now.some(({ id, speaking }, i) => {
      const shown = this.#state.participants[i];
      return shown?.id === id && shown.speaking !== speaking;
    });
    if (changed) this.#showParticipants();
  }

  #showCaption({ id, from, role, text, isFinal, code }: Omit<Caption, "at">): void {
    const { captions } = this.#state;
    const at = captions.find((each) => each.id === id)?.at ?? Date.now();
    const caption = { id, from, role, text, isFinal, at, ...(code === undefined ? {} : { code }) };
    const others = captions.filter((each) => each.id !== id);
    this.#set({ captions: [...others, caption].slice(-mostCaptions) });
  }

  #set(change: Partial<LiveCallState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

function errorOf(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
