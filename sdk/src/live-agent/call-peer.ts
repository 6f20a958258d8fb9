import { GuardedSender } from "./guarded-sender.ts";
import { connectionOptions, type MediaCipher } from "./media-cipher.ts";
import type { MediaKind } from "./media-frames.ts";
import type { Signal } from "./signalling.ts";

/** Codecs whose frames the cipher knows, and what repairs losses of them. */
const codecs: Record<MediaKind, RegExp> = { audio: /^audio\/opus$/i, video: /^video\/(vp8|rtx)$/i };
/** Above this share of full loudness somebody speaks. */
const speakingLevel = 0.02;

export type PeerParts = {
  /** Of the participant at the other end. */
  id: string;
  configuration: Pick<RTCConfiguration, "iceServers" | "iceTransportPolicy">;
  cipher: MediaCipher;
  /** Takes the tracks that come. */
  stream: MediaStream;
  localTrack: (kind: MediaKind) => MediaStreamTrack | null;
  send: (signal: Signal) => Promise<void>;
  /** Something that is shown has changed. */
  changed: () => void;
  /** No way to the other end is left. */
  failed: () => void;
};

/** One connection to one other participant; media goes both ways, or is silent. */
export class CallPeer {
  readonly #parts: PeerParts;
  readonly #connection: RTCPeerConnection;
  readonly #senders = new Map<MediaKind, GuardedSender>();
  /** Whether the last offer was ours: until media has flown it is on us to offer again. */
  offers = false;
  /** Whether media has ever flown. */
  wasConnected = false;
  #waiting: RTCIceCandidateInit[] = [];

  constructor(parts: PeerParts) {
    this.#parts = parts;
    const options = { ...connectionOptions(), ...parts.configuration, bundlePolicy: "max-bundle" as const };
    this.#connection = new RTCPeerConnection(options);
    this.#connection.onicecandidate = ({ candidate }) => {
      if (candidate !== null && candidate.candidate !== "") this.#send({ candidate: candidate.toJSON() });
    };
    this.#connection.ontrack = ({ track }) => {
      parts.stream.addTrack(track);
      parts.changed();
    };
    this.#connection.onconnectionstatechange = () => {
      this.wasConnected ||= this.isConnected;
      if (this.#connection.connectionState === "failed") parts.failed();
      parts.changed();
    };
  }

  get isConnected(): boolean {
    return this.#connection.connectionState === "connected";
  }

  /** Whether words come from there now, by the loudness of the last tenth of a second. */
  get isSpeaking(): boolean {
    const receiver = this.#connection.getReceivers().find(({ track }) => track.kind === "audio");
    const levels = receiver?.getSynchronizationSources().map(({ audioLevel = 0 }) => audioLevel) ?? [];
    return levels.some((level) => level > speakingLevel);
  }

  /** Statistics of the connection as the browser keeps them. */
  getStats(): Promise<RTCStatsReport> {
    return this.#connection.getStats();
  }

  get isAwaitingAnswer(): boolean {
    return this.#connection.signalingState === "have-local-offer";
  }

  /** Offer the connection. */
  async offer(about: Pick<Signal, "anew"> = {}): Promise<void> {
    this.offers = true;
    if (this.#senders.size === 0) {
      for (const kind of ["audio", "video"] as const) this.#connection.addTransceiver(kind, { direction: "sendrecv" });
      this.#prepare();
      await this.#beginSending();
    }
    await this.#connection.setLocalDescription(await this.#connection.createOffer());
    await this.#sendDescription(about);
  }

  /** Offer other ways for the same connection; media goes on by the old one while there is one. */
  async offerOtherWays(iceServers: RTCIceServer[]): Promise<void> {
    this.#connection.setConfiguration({ ...this.#connection.getConfiguration(), iceServers });
    this.#connection.restartIce();
    await this.offer();
  }

  /** Say the offer once more: who heard it twice answers the same, while the answer to another would be taken for that to this. */
  async repeatOffer(): Promise<void> {
    await this.#sendDescription();
  }

  async hear({ description, candidate }: Signal): Promise<void> {
    if (description !== undefined) {
      // The second answer to an offer that was said twice.
      if (description.type === "answer" && !this.isAwaitingAnswer) return;
      if (description.type === "offer") this.offers = false;
      await this.#connection.setRemoteDescription(description);
      // Before anything is waited for: see MediaCipher.seal.
      if (description.type === "offer") this.#prepare();
      for (const each of this.#waiting.splice(0)) await this.#addCandidate(each);
      if (description.type !== "offer") return;
      await this.#beginSending();
      await this.#connection.setLocalDescription();
      await this.#sendDescription();
    } else if (candidate !== undefined) {
      if (this.#connection.remoteDescription === null) this.#waiting.push(candidate);
      else await this.#addCandidate(candidate);
    }
  }

  /** Send another track of that kind, or none. */
  async replaceTrack(kind: MediaKind, track: MediaStreamTrack | null): Promise<void> {
    await this.#senders.get(kind)?.send(track);
  }

  close(): void {
    this.#connection.onconnectionstatechange = null;
    for (const { track } of this.#connection.getReceivers()) this.#parts.stream.removeTrack(track);
    this.#connection.close();
    for (const sender of this.#senders.values()) sender.close();
  }

  async #addCandidate(candidate: RTCIceCandidateInit): Promise<void> {
    // One of an offer that was made again is no address of this connection; there are others.
    await this.#connection.addIceCandidate(candidate).catch(() => {});
  }

  /** Before anything can flow: which codecs, through which transform. */
  #prepare(): void {
    const { cipher, id } = this.#parts;
    for (const transceiver of this.#connection.getTransceivers()) {
      const kind = transceiver.receiver.track.kind as MediaKind;
      if (this.#senders.has(kind)) continue;
      this.#senders.set(kind, new GuardedSender(transceiver.sender, cipher.seal(transceiver.sender, kind)));
      cipher.open(transceiver.receiver, kind, id);
      transceiver.setCodecPreferences(known(kind));
      transceiver.direction = "sendrecv";
    }
  }

  async #beginSending(): Promise<void> {
    for (const [kind, sender] of this.#senders) await sender.send(this.#parts.localTrack(kind));
  }

  async #sendDescription(about: Pick<Signal, "anew"> = {}): Promise<void> {
    const description = this.#connection.localDescription;
    if (description === null) return;
    await this.#parts.send({ description: { type: description.type, sdp: description.sdp }, ...about });
  }

  #send(signal: Signal): void {
    // A participant who has left needs no candidate; one who is there is sent more of them.
    this.#parts.send(signal).catch(() => {});
  }
}

function known(kind: MediaKind): RTCRtpCodec[] {
  return (RTCRtpReceiver.getCapabilities(kind)?.codecs ?? []).filter(({ mimeType }) => codecs[kind].test(mimeType));
}
