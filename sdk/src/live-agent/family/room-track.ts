import type { MediaKind } from "../media-frames.ts";
import { Emitter } from "./emitter.ts";

export type TrackSource = "microphone" | "camera";

const sources: Record<MediaKind, TrackSource> = { audio: "microphone", video: "camera" };

/** Parts of a track; `blocked` is called when the browser does not play it without a click. */
type TrackParts = { kind: MediaKind; isLocal: boolean; media: MediaStreamTrack; blocked: () => void };

/**
 * Represent one track of a participant. It plays in the media elements that it is attached to.
 * @example
 * ```ts
 * import type { RoomTrack } from "@hearth/oracles-client-sdk/live-agent";
 *
 * export function show(track: RoomTrack): () => void {
 *   const element = document.body.appendChild(track.attach());
 *   return () => {
 *     track.detach(element);
 *     element.remove();
 *   };
 * }
 * ```
 */
export class RoomTrack extends Emitter {
  readonly kind: MediaKind;
  readonly source: TrackSource;
  readonly isLocal: boolean;
  readonly attachedElements: HTMLMediaElement[] = [];
  isMuted = false;
  #media: MediaStreamTrack;
  #stream: MediaStream;
  #sinkId: string | undefined;
  readonly #blocked: () => void;

  constructor({ kind, isLocal, media, blocked }: TrackParts) {
    super();
    this.kind = kind;
    this.source = sources[kind];
    this.isLocal = isLocal;
    this.#media = media;
    this.#stream = new MediaStream([media]);
    this.#blocked = blocked;
  }

  get sid(): string {
    return this.#media.id;
  }

  get mediaStreamTrack(): MediaStreamTrack {
    return this.#media;
  }

  get mediaStream(): MediaStream {
    return this.#stream;
  }

  /** Play the track in this element, or in a new one that the caller adds to the page. */
  attach(element: HTMLMediaElement = document.createElement(this.kind)): HTMLMediaElement {
    if (!this.attachedElements.includes(element)) this.attachedElements.push(element);
    element.autoplay = true;
    if (element instanceof HTMLVideoElement) element.playsInline = true;
    // Users must not hear themselves.
    if (this.isLocal) element.muted = true;
    element.srcObject = this.#stream;
    void this.#choose(element);
    void this.#play(element);
    return element;
  }

  /** Stop playing in this element, or in all. */
  detach(): HTMLMediaElement[];
  detach(element: HTMLMediaElement): HTMLMediaElement;
  detach(element?: HTMLMediaElement): HTMLMediaElement | HTMLMediaElement[] {
    const leaving = element === undefined ? [...this.attachedElements] : [element];
    for (const each of leaving) {
      const at = this.attachedElements.indexOf(each);
      if (at >= 0) this.attachedElements.splice(at, 1);
      if (each.srcObject === this.#stream) each.srcObject = null;
    }
    return element ?? leaving;
  }

  /** Play another device's media from now on. */
  replace(media: MediaStreamTrack): void {
    if (media === this.#media) return;
    this.#media = media;
    this.#stream = new MediaStream([media]);
    for (const element of this.attachedElements) element.srcObject = this.#stream;
  }

  /** Play through another loudspeaker. */
  async setSinkId(deviceId: string): Promise<void> {
    this.#sinkId = deviceId;
    for (const element of this.attachedElements) await this.#choose(element);
  }

  /** Play after a click. Returns whether all elements play. */
  async play(): Promise<boolean> {
    const playing = await Promise.all(this.attachedElements.map((element) => this.#play(element)));
    return playing.every(Boolean);
  }

  async #choose(element: HTMLMediaElement): Promise<void> {
    // If the loudspeaker is gone, the default one plays.
    if (this.#sinkId !== undefined && !this.isLocal) await element.setSinkId?.(this.#sinkId).catch(() => {});
  }

  async #play(element: HTMLMediaElement): Promise<boolean> {
    try {
      await element.play();
      return true;
    } catch (error) {
      // Other errors mean that the element plays something else by now.
      if ((error as DOMException).name !== "NotAllowedError") return true;
      this.#blocked();
      return false;
    }
  }
}

/**
 * Describe a track that a participant publishes to the others.
 * @example
 * ```ts
 * import type { AgentRoom, RoomPublication } from "@hearth/oracles-client-sdk/live-agent";
 *
 * export const cameras = (room: AgentRoom): RoomPublication[] =>
 *   [...room.remoteParticipants.values()].flatMap((each) => each.getTrackPublication("camera") ?? []);
 * ```
 */
export class RoomPublication extends Emitter {
  readonly track: RoomTrack;

  constructor(track: RoomTrack) {
    super();
    this.track = track;
  }

  get kind(): MediaKind {
    return this.track.kind;
  }

  get source(): TrackSource {
    return this.track.source;
  }

  get trackSid(): string {
    return this.track.sid;
  }

  get trackName(): string {
    return this.track.source;
  }

  get audioTrack(): RoomTrack | undefined {
    return this.kind === "audio" ? this.track : undefined;
  }

  get videoTrack(): RoomTrack | undefined {
    return this.kind === "video" ? this.track : undefined;
  }

  get isMuted(): boolean {
    return this.track.isMuted;
  }

  get isLocal(): boolean {
    return this.track.isLocal;
  }

  readonly isSubscribed = true;
  readonly isEnabled = true;
  readonly isEncrypted = true;
}
