import type { LiveCallState, LiveCallStatus, LiveParticipant } from "../call-state.ts";
import type { LiveCall } from "../live-call.ts";
import type { MediaKind } from "../media-frames.ts";
import { Emitter } from "./emitter.ts";
import { follow, LocalRoomParticipant, type ParticipantFacts, RoomParticipant } from "./room-participant.ts";

export type RoomState = "disconnected" | "connecting" | "connected" | "reconnecting";

const states: Record<LiveCallStatus, RoomState> = {
  idle: "disconnected",
  ended: "disconnected",
  error: "disconnected",
  connecting: "connecting",
  connected: "connected",
  reconnecting: "reconnecting",
};

/**
 * Present a call under the names of a media server's room, for apps written for another SDK of this family: participants, tracks and
 * events such as `connected`, `participantConnected`, `trackSubscribed` and `activeSpeakersChanged`.
 * @example
 * ```ts
 * import type { AgentRoom } from "@hearth/oracles-client-sdk/live-agent";
 *
 * export function logRoom(room: AgentRoom): void {
 *   room.on("connectionStateChanged", (state) => console.log(state));
 *   room.on("participantConnected", ({ name }) => console.log(`${name} joined.`));
 * }
 * ```
 */
export class AgentRoom extends Emitter {
  readonly localParticipant: LocalRoomParticipant;
  /** The other participants by identity. */
  readonly remoteParticipants = new Map<string, RoomParticipant>();
  /** Media is always encrypted end to end. */
  readonly isE2EEEnabled = true;
  state: RoomState = "disconnected";
  /** The call's id; empty outside a call. */
  name = "";
  /** False while the browser requires a click to play sound; call `startAudio` from one. */
  canPlaybackAudio = true;
  activeSpeakers: RoomParticipant[] = [];
  readonly #call: LiveCall;
  #shown: LiveCallState;

  /** @param did the user's DID */
  constructor(call: LiveCall, did: string) {
    super();
    this.#call = call;
    this.#shown = call.getState();
    this.localParticipant = new LocalRoomParticipant(call, did);
    call.subscribe(() => this.#follow(call.getState()));
  }

  get numParticipants(): number {
    return this.remoteParticipants.size + (this.state === "disconnected" ? 0 : 1);
  }

  getParticipantByIdentity(identity: string): RoomParticipant | undefined {
    return identity === this.localParticipant.identity ? this.localParticipant : this.remoteParticipants.get(identity);
  }

  /** Leave the call. */
  async disconnect(): Promise<void> {
    await this.#call.leave();
  }

  /** Play blocked sound; call it from a click handler. */
  startAudio = async (): Promise<void> => {
    const playing = await Promise.all(this.#remoteTracks("audio").map((track) => track.play()));
    this.#setPlayback(playing.every(Boolean));
  };

  /** Switch to another microphone, camera or loudspeaker. @throws DeviceError */
  async switchActiveDevice(kind: MediaDeviceKind, deviceId: string): Promise<boolean> {
    await this.#call.selectDevice(kind, deviceId);
    this.emit("activeDeviceChanged", kind, deviceId);
    return true;
  }

  /** Return the id of the device in use; undefined when there is none. */
  getActiveDevice(kind: MediaDeviceKind): string | undefined {
    const { localStream, audioOutput } = this.#call.getState();
    if (kind === "audiooutput") return audioOutput;
    return trackOf(localStream, kind === "audioinput" ? "audio" : "video")?.getSettings().deviceId;
  }

  #follow(now: LiveCallState): void {
    const before = this.#shown;
    this.#shown = now;
    this.name = now.callId ?? "";
    this.#showState(states[now.status]);
    const tell = (event: string, ...args: unknown[]) => void this.emit(event, ...args);
    const blocked = () => this.#setPlayback(false);
    follow(this.localParticipant, localFacts(now, this.localParticipant.name), tell, blocked);
    for (const [id, participant] of this.remoteParticipants) {
      if (now.participants.some((each) => each.id === id)) continue;
      follow(participant, gone, tell, blocked);
      this.remoteParticipants.delete(id);
      this.emit("participantDisconnected", participant);
    }
    for (const each of now.participants) follow(this.#participant(each), factsOf(each), tell, blocked);
    this.#showSpeakers();
    this.#showWords(before, now);
    if (now.devices !== before.devices) this.emit("mediaDevicesChanged");
    if (now.deviceProblem !== undefined && now.deviceProblem !== before.deviceProblem)
      this.emit("mediaDevicesError", now.deviceProblem);
    const { audioOutput } = now;
    if (audioOutput === undefined) return;
    for (const track of this.#remoteTracks("audio")) void track.setSinkId(audioOutput);
  }

  #participant({ id, did = "", kind }: LiveParticipant): RoomParticipant {
    const known = this.remoteParticipants.get(id);
    if (known !== undefined) return known;
    const participant = new RoomParticipant(id);
    Object.assign(participant, { name: did, isAgent: kind === "agent" });
    this.remoteParticipants.set(id, participant);
    this.emit("participantConnected", participant);
    return participant;
  }

  #showState(state: RoomState): void {
    const before = this.state;
    if (state === before) return;
    this.state = state;
    this.emit("connectionStateChanged", state);
    if (state === "connected") this.emit(before === "reconnecting" ? "reconnected" : "connected");
    else if (state !== "connecting") this.emit(state);
  }

  #showSpeakers(): void {
    const speaking = [...this.remoteParticipants.values()].filter(({ isSpeaking }) => isSpeaking);
    const isSame = speaking.length === this.activeSpeakers.length;
    if (isSame && speaking.every((each, i) => each === this.activeSpeakers[i])) return;
    this.activeSpeakers = speaking;
    this.emit("activeSpeakersChanged", speaking);
  }

  #showWords(before: LiveCallState, now: LiveCallState): void {
    if (now.captions === before.captions) return;
    for (const caption of now.captions) {
      if (caption.role === "notice" || before.captions.includes(caption)) continue;
      const { id, from, role, text, isFinal, at } = caption;
      const times = { startTime: at, endTime: at, firstReceivedTime: at, lastReceivedTime: Date.now() };
      // The agent also sends the transcript of the user's speech, so the role tells who spoke.
      const by = role === "agent" ? this.remoteParticipants.get(from) : this.localParticipant;
      this.emit("transcriptionReceived", [{ id, text, final: isFinal, language: "", ...times }], by);
    }
  }

  #setPlayback(can: boolean): void {
    if (can === this.canPlaybackAudio) return;
    this.canPlaybackAudio = can;
    this.emit("audioPlaybackChanged", can);
  }

  #remoteTracks(kind: MediaKind) {
    const publications = [...this.remoteParticipants.values()].flatMap((each) => each.getTrackPublications());
    return publications.filter((publication) => publication.kind === kind).map(({ track }) => track);
  }
}

const gone: ParticipantFacts = { did: "", kind: "user", speaking: false, muted: true, tracks: {} };

function localFacts({ localStream, isMuted }: LiveCallState, did: string): ParticipantFacts {
  return { did, kind: "user", speaking: false, muted: isMuted, tracks: tracksOf(localStream, true) };
}

function factsOf({ did = "", kind, speaking, muted, video, stream }: LiveParticipant): ParticipantFacts {
  return { did, kind, speaking, muted, tracks: tracksOf(stream, video) };
}

/** Return the published tracks. A connection always has a track of each kind, also when the camera is off. */
function tracksOf(stream: MediaStream | null, video: boolean): ParticipantFacts["tracks"] {
  const [audio, camera] = [trackOf(stream, "audio"), video ? trackOf(stream, "video") : undefined];
  return { ...(audio && { audio }), ...(camera && { video: camera }) };
}

function trackOf(stream: MediaStream | null, kind: MediaKind): MediaStreamTrack | undefined {
  return stream?.getTracks().find((track) => track.kind === kind);
}
