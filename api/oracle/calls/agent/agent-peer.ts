import { randomInt } from "node:crypto";
import OpusScript from "opusscript";
import { MediaStreamTrack, RTCPeerConnection, RtpHeader, RtpPacket, useOPUS } from "werift";
import type { FrameOpener } from "../../../../sdk/src/live-agent/media-frames.ts";
import type { Bytes } from "../../../../sdk/src/live-agent/sframe.ts";
import type { Log } from "../../../platform/log.ts";
import type { IceServer } from "../ice-servers.ts";
import { hearingRate } from "./utterance-detector.ts";

/** A signalling message, as it is relayed. */
export type AgentSignal = {
  description?: { type: "offer" | "answer"; sdp: string };
  /** True if the offer is for a new connection. */
  anew?: true;
  candidate?: { candidate: string; sdpMid?: string | null; sdpMLineIndex?: number | null };
};

export type AgentPeerParts = {
  iceServers: readonly IceServer[];
  send: (signal: AgentSignal) => void;
  opener: FrameOpener;
  /** Called with 20 ms of the participant's sound; absent if the agent does not listen to it. */
  hear: ((frame: Int16Array) => void) | undefined;
  log: Log;
};

/** Ticks of the Opus clock in 20 ms. */
const frameTicks = 960;
const frameMs = 20;
/** Shortest silence that is reported to a listener, in milliseconds. */
const pauseMs = 200;

/** The agent's connection to one participant: only sound, each frame sealed. */
export class AgentPeer {
  readonly #parts: AgentPeerParts;
  readonly #connection: RTCPeerConnection;
  readonly #track = new MediaStreamTrack({ kind: "audio" });
  readonly #decoder = new OpusScript(hearingRate, 1);
  #sequence = randomInt(2 ** 15);
  #timestamp = randomInt(2 ** 31);
  #saidAt = performance.now();
  #lastHeard: number | undefined;
  #opening: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(parts: AgentPeerParts) {
    this.#parts = parts;
    const iceServers = parts.iceServers.flatMap(({ urls, ...rest }) =>
      [urls].flat().map((url) => ({ urls: url, ...rest })),
    );
    this.#connection = new RTCPeerConnection({
      codecs: { audio: [useOPUS()] },
      iceServers,
      bundlePolicy: "max-bundle",
    } as never);
    this.#connection.onIceCandidate.subscribe((candidate) => {
      if (candidate?.candidate) this.#sendCandidate(candidate);
    });
    this.#connection.onTrack.subscribe((track) => {
      if (track.kind === "audio") track.onReceiveRtp.subscribe((packet) => this.#receive(packet));
    });
  }

  get isAwaitingAnswer(): boolean {
    return this.#connection.signalingState === "have-local-offer";
  }

  async offer(): Promise<void> {
    this.#connection.addTransceiver(this.#track, { direction: "sendrecv" });
    await this.#connection.setLocalDescription(await this.#connection.createOffer());
    this.#describe();
  }

  async signal({ description, candidate }: AgentSignal): Promise<void> {
    if (candidate !== undefined) return await this.#connection.addIceCandidate(candidate as never);
    if (description === undefined) return;
    await this.#connection.setRemoteDescription(description);
    if (description.type !== "offer") return;
    const audio = this.#connection.getTransceivers().find(({ kind }) => kind === "audio");
    if (audio !== undefined) {
      audio.setDirection("sendrecv");
      await audio.sender.replaceTrack(this.#track);
    }
    await this.#connection.setLocalDescription(await this.#connection.createAnswer());
    this.#describe();
  }

  /** Send a sealed frame of 20 ms. */
  say(sealed: Bytes): void {
    this.#sequence = (this.#sequence + 1) % 2 ** 16;
    const silentMs = performance.now() - this.#saidAt;
    const marker = silentMs > pauseMs;
    const frames = marker ? Math.round(silentMs / frameMs) : 1;
    this.#saidAt = performance.now();
    this.#timestamp = (this.#timestamp + frames * frameTicks) % 2 ** 32;
    const at = { sequenceNumber: this.#sequence, timestamp: this.#timestamp };
    const header = new RtpHeader({ ...at, marker, payloadType: 96 });
    this.#track.writeRtp(new RtpPacket(header, Buffer.from(sealed)));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connection.close();
    await this.#opening;
    this.#decoder.delete();
  }

  #describe(): void {
    const local = this.#connection.localDescription;
    if (local?.type === "offer" || local?.type === "answer")
      this.#parts.send({ description: { type: local.type, sdp: local.sdp } });
  }

  #sendCandidate({ candidate, sdpMid, sdpMLineIndex }: { candidate: string; sdpMid?: string; sdpMLineIndex?: number }) {
    this.#parts.send({ candidate: { candidate, sdpMid: sdpMid ?? null, sdpMLineIndex: sdpMLineIndex ?? null } });
  }

  /** Packets are handled in the order of arrival; one that arrives after a later one is dropped. */
  #receive({ header: { sequenceNumber }, payload }: RtpPacket): void {
    const { hear, opener, log } = this.#parts;
    if (hear === undefined || this.#isClosed) return;
    const ahead = this.#lastHeard === undefined ? 1 : (sequenceNumber - this.#lastHeard + 2 ** 16) % 2 ** 16;
    if (ahead === 0 || ahead > 2 ** 15) return;
    this.#lastHeard = sequenceNumber;
    this.#opening = this.#opening
      .then(async () => {
        const opened = await opener.open("audio", new Uint8Array(payload));
        if (opened === undefined || this.#isClosed) return;
        const pcm = this.#decoder.decode(Buffer.from(opened));
        hear(new Int16Array(pcm.buffer.slice(pcm.byteOffset, pcm.byteOffset + pcm.length)));
      })
      .catch((error: unknown) => log.warn({ err: error }, "a frame of a call could not be decoded"));
  }
}
