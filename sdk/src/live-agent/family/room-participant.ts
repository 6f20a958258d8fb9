import type { LiveCall } from "../live-call.ts";
import type { MediaKind } from "../media-frames.ts";
import { Emitter } from "./emitter.ts";
import { RoomPublication, RoomTrack, type TrackSource } from "./room-track.ts";

/** Current state of a participant. */
export type ParticipantFacts = {
  did: string;
  kind: "user" | "agent";
  speaking: boolean;
  muted: boolean;
  /** Published tracks by kind. */
  tracks: Partial<Record<MediaKind, MediaStreamTrack>>;
};

const kinds: readonly MediaKind[] = ["audio", "video"];

/**
 * Represent one participant of a room.
 * @example
 * ```ts
 * import type { RoomParticipant } from "@hearth/oracles-client-sdk/live-agent";
 *
 * export const label = ({ name, isAgent, isSpeaking }: RoomParticipant): string =>
 *   `${isAgent ? "Oracle" : name}${isSpeaking ? " (speaking)" : ""}`;
 * ```
 */
export class RoomParticipant extends Emitter {
  /** Id of this stay; who rejoins gets a new one. */
  readonly identity: string;
  readonly joinedAt = new Date();
  readonly isEncrypted = true;
  readonly attributes: Readonly<Record<string, string>> = {};
  readonly metadata: string | undefined = undefined;
  /** Published tracks by track id. */
  readonly trackPublications = new Map<string, RoomPublication>();
  /** The participant's DID. */
  name = "";
  isSpeaking = false;
  isAgent = false;

  constructor(identity: string) {
    super();
    this.identity = identity;
  }

  get sid(): string {
    return this.identity;
  }

  get isLocal(): boolean {
    return false;
  }

  get audioTrackPublications(): Map<string, RoomPublication> {
    return this.#of("audio");
  }

  get videoTrackPublications(): Map<string, RoomPublication> {
    return this.#of("video");
  }

  get isMicrophoneEnabled(): boolean {
    return this.getTrackPublication("microphone")?.isMuted === false;
  }

  get isCameraEnabled(): boolean {
    return this.getTrackPublication("camera")?.isMuted === false;
  }

  readonly isScreenShareEnabled = false;

  getTrackPublications(): RoomPublication[] {
    return [...this.trackPublications.values()];
  }

  getTrackPublication(source: TrackSource | string): RoomPublication | undefined {
    return this.getTrackPublications().find((publication) => publication.source === source);
  }

  #of(kind: MediaKind): Map<string, RoomPublication> {
    return new Map([...this.trackPublications].filter(([, publication]) => publication.kind === kind));
  }
}

type Tell = (event: string, ...args: unknown[]) => void;

/** Update a participant, and emit the changes on it and on the room. */
export function follow(participant: RoomParticipant, facts: ParticipantFacts, room: Tell, blocked: () => void): void {
  const { isLocal } = participant;
  const tell: Tell = (event, ...args) => {
    participant.emit(event, ...args);
    room(event, ...args, participant);
  };
  const come = (publication: RoomPublication) => {
    participant.trackPublications.set(publication.trackSid, publication);
    if (isLocal) return tell("localTrackPublished", publication);
    tell("trackPublished", publication);
    tell("trackSubscribed", publication.track, publication);
  };
  const go = (sid: string, publication: RoomPublication) => {
    participant.trackPublications.delete(sid);
    if (isLocal) return tell("localTrackUnpublished", publication);
    tell("trackUnsubscribed", publication.track, publication);
    tell("trackUnpublished", publication);
  };
  participant.name = facts.did;
  participant.isAgent = facts.kind === "agent";
  for (const kind of kinds) {
    const media = facts.tracks[kind];
    const [sid, known] = [...participant.trackPublications].find(([, of]) => of.kind === kind) ?? [];
    if (known !== undefined && sid !== undefined && media === undefined) go(sid, known);
    if (media === undefined) continue;
    const isMuted = kind === "audio" && facts.muted;
    if (known === undefined || sid === undefined) {
      const track = new RoomTrack({ kind, isLocal, media, blocked });
      track.isMuted = isMuted;
      come(new RoomPublication(track));
      continue;
    }
    if (sid !== media.id) {
      // Another device continues the same publication.
      known.track.replace(media);
      participant.trackPublications.delete(sid);
      participant.trackPublications.set(media.id, known);
    }
    if (known.isMuted === isMuted) continue;
    known.track.isMuted = isMuted;
    tell(isMuted ? "trackMuted" : "trackUnmuted", known);
  }
  if (participant.isSpeaking === facts.speaking) return;
  participant.isSpeaking = facts.speaking;
  participant.emit("isSpeakingChanged", facts.speaking);
}

/**
 * Represent the user in a room, with the microphone and the camera.
 * @example
 * ```ts
 * import type { LocalRoomParticipant } from "@hearth/oracles-client-sdk/live-agent";
 *
 * export const goSilent = (user: LocalRoomParticipant) => user.setMicrophoneEnabled(false);
 * ```
 */
export class LocalRoomParticipant extends RoomParticipant {
  readonly #call: LiveCall;

  constructor(call: LiveCall, did: string) {
    super("local");
    this.name = did;
    this.#call = call;
  }

  override get isLocal(): boolean {
    return true;
  }

  /** Unmute or mute the microphone, optionally choosing a device. @throws DeviceError */
  async setMicrophoneEnabled(
    enabled: boolean,
    { deviceId }: { deviceId?: ConstrainDOMString } = {},
  ): Promise<RoomPublication | undefined> {
    await this.#choose("audioinput", deviceId);
    await this.#call.setMuted(!enabled);
    return this.getTrackPublication("microphone");
  }

  /** Switch the camera on, optionally choosing a device, or off and release it. @throws DeviceError */
  async setCameraEnabled(
    enabled: boolean,
    { deviceId }: { deviceId?: ConstrainDOMString } = {},
  ): Promise<RoomPublication | undefined> {
    if (enabled) await this.#choose("videoinput", deviceId);
    await this.#call.setVideoEnabled(enabled);
    return this.getTrackPublication("camera");
  }

  async #choose(kind: MediaDeviceKind, deviceId: ConstrainDOMString | undefined): Promise<void> {
    if (typeof deviceId === "string" && deviceId !== "") await this.#call.selectDevice(kind, deviceId);
  }
}
