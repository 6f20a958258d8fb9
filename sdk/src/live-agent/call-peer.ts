import { GuardedSender } from "./guarded-sender.ts";
import { connectionOptions, type MediaCipher } from "./media-cipher.ts";
import type { MediaKind } from "./media-frames.ts";
import type { Signal } from "./signalling.ts";

/** Codecs whose frames the cipher supports, and the retransmission of lost packets. */
const codecs: Record<MediaKind, RegExp> = { audio: /^audio\/opus$/i, video: /^video\/(vp8|rtx)$/i };
/** Audio level, from 0 to 1, above which somebody is speaking. */
const speakingLevel = 0.02;

export type PeerParts = {
  /** Id of the other participant. */
  id: string;
  configuration: Pick<RTCConfiguration, "iceServers" | "iceTransportPolicy">;
  cipher: MediaCipher;
  /** Receives the other's tracks. */
  stream: MediaStream;
  localTrack: (kind: MediaKind) => MediaStreamTrack | null;
  send: (signal: Signal) => Promise<void>;
  /** Called when something visible has changed. */
  changed: () => void;
  /** Called when the connection has failed. */
  failed: () => void;
};

/** The connection to one other participant, with media in both directions. */
export class CallPeer {
  readonly #parts: PeerParts;
  readonly #connection: RTCPeerConnection;
  readonly #senders = new Map<MediaKind, GuardedSender>();
  /** Whether the last offer was ours; until media has flowed, the side that offered offers again. */
  offers = false;
  /** Whether media has ever flowed. */
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

  /** Whether the participant is speaking, by the audio level of the last 100 ms. */
  get isSpeaking(): boolean {
    const receiver = this.#connection.getReceivers().find(({ track }) => track.kind === "audio");
    const levels = receiver?.getSynchronizationSources().map(({ audioLevel = 0 }) => audioLevel) ?? [];
    return levels.some((level) => level > speakingLevel);
  }

  /** Return the browser's statistics of the connection. */
  getStats(): Promise<RTCStatsReport> {
    return this.#connection.getStats();
  }

  get isAwaitingAnswer(): boolean {
    return this.#connection.signalingState === "have-local-offer";
  }

  /** Send an offer. */
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

  /** Restart ICE: offer new network paths for the same connection. Media continues on the old path while it works. */
  async offerOtherWays(iceServers: RTCIceServer[]): Promise<void> {
    this.#connection.setConfiguration({ ...this.#connection.getConfiguration(), iceServers });
    this.#connection.restartIce();
    await this.offer();
  }

  /** Send the same offer again. A new offer could be paired with the answer to this one. */
  async repeatOffer(): Promise<void> {
    await this.#sendDescription();
  }

  async hear({ description, candidate }: Signal): Promise<void> {
    if (description !== undefined) {
      // The second answer to a repeated offer.
      if (description.type === "answer" && !this.isAwaitingAnswer) return;
      if (description.type === "offer") this.offers = false;
      await this.#connection.setRemoteDescription(description);
      // Before the first await: see MediaCipher.seal.
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

  /** Replace the track of a kind; null sends nothing. */
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
    // A candidate of a replaced offer does not fit this connection; others follow.
    await this.#connection.addIceCandidate(candidate).catch(() => {});
  }

  /** Set codecs and encryption before any media can flow. */
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
    // A participant who has left needs no candidates; one who is there gets more of them.
    this.#parts.send(signal).catch(() => {});
  }
}

function known(kind: MediaKind): RTCRtpCodec[] {
  return (RTCRtpReceiver.getCapabilities(kind)?.codecs ?? []).filter(({ mimeType }) => codecs[kind].test(mimeType));
}
