import type { Page } from "playwright-core";
import { type MediaStreamTrack, RTCPeerConnection, useOPUS, usePLI, useVP8 } from "werift";
import type { CallTab, CallWorld } from "./calls-world.ts";

type Signal = { description?: { type: "offer" | "answer"; sdp: string }; candidate?: object };
type Kind = "audio" | "video";

export type Relay = {
  /** Join as the relay: the tab's signals to others go to it. */
  join: (sessionId: string) => Promise<CallTab>;
  /** RTP payloads that it forwarded, without the transport's encryption. */
  payloads: Record<Kind, Buffer[]>;
  close: () => Promise<void>;
};

/** Interval of requests for a complete picture, in milliseconds. */
const pictureMs = 500;

/**
 * Act as a relay between two tabs, as a malicious oracle could: terminate both connections, and forward the media of
 * one to the other. A selective forwarding unit does the same.
 */
export function openRelay(world: CallWorld): Relay {
  const payloads: Relay["payloads"] = { audio: [], video: [] };
  const ends: { page: Page; connection: RTCPeerConnection; from: string }[] = [];
  const timers: NodeJS.Timeout[] = [];
  let isClosed = false;
  const tracks: { from: RTCPeerConnection; track: MediaStreamTrack }[] = [];

  const open = (page: Page, from: string) => {
    const connection = new RTCPeerConnection({
      // Otherwise each kind gets a socket that is never closed.
      bundlePolicy: "max-bundle",
      codecs: { audio: [useOPUS()], video: [useVP8({ rtcpFeedback: [usePLI()] })] },
    } as never);
    for (const kind of ["audio", "video"] as const) connection.addTransceiver(kind, { direction: "sendrecv" });
    const tell = (signal: Signal) =>
      page.evaluate(([who, said]) => window.deliver(who, said), [from, JSON.stringify(signal)] as const);
    connection.onIceCandidate.subscribe((candidate) => {
      // The page may be closed already.
      if (candidate?.candidate) tell({ candidate: candidate.toJSON() }).catch(() => {});
    });
    connection.onTrack.subscribe((track) => {
      tracks.push({ from: connection, track });
      track.onReceiveRtp.subscribe(({ payload }) => void payloads[track.kind as Kind].push(Buffer.from(payload)));
      const receiver = connection.getTransceivers().find(({ kind }) => kind === track.kind)?.receiver;
      if (track.kind === "video" && receiver !== undefined)
        timers.push(setInterval(() => void (track.ssrc && receiver.sendRtcpPLI(track.ssrc)), pictureMs).unref());
      connect();
    });
    ends.push({ page, connection, from });
    return { connection, tell };
  };
  /** Forward what one end sends to the other. */
  const connect = () => {
    for (const { from, track } of tracks) {
      const other = ends.find(({ connection }) => connection !== from)?.connection;
      const sender = other?.getTransceivers().find(({ kind }) => kind === track.kind)?.sender;
      if (sender !== undefined && sender.track !== track) void sender.replaceTrack(track);
    }
  };
  const pages = new Map<string, Page>();
  const hear = async (page: Page, to: string, { description, candidate }: Signal) => {
    if (isClosed) return;
    const end = ends.find((each) => each.page === page);
    if (candidate !== undefined) return await end?.connection.addIceCandidate(candidate as never);
    if (description?.type === "answer") return await end?.connection.setRemoteDescription(description);
    if (description === undefined) return;
    const other = [...pages.values()].find((each) => each !== page);
    if (other === undefined) return;
    const near = open(page, to);
    await near.connection.setRemoteDescription(description);
    for (const transceiver of near.connection.getTransceivers()) transceiver.setDirection("sendrecv");
    await near.connection.setLocalDescription(await near.connection.createAnswer());
    await near.tell({ description: near.connection.localDescription as never });
    const offerer = await other.evaluate(() => window.call.getState().participants[0]?.id ?? "");
    const far = open(other, offerer);
    await far.connection.setLocalDescription(await far.connection.createOffer());
    await far.tell({ description: far.connection.localDescription as never });
    connect();
  };
  const join: Relay["join"] = async (sessionId) => {
    const media = { audio: true, video: { width: 160, height: 120, frameRate: 10 } };
    return await world.join(
      sessionId,
      { media },
      {
        prepare: async (page) => {
          pages.set(`${pages.size}`, page);
          await page.exposeFunction("passOn", (to: string, signal: string) =>
            hear(page, to, JSON.parse(signal) as Signal),
          );
        },
      },
    );
  };
  const close = async () => {
    isClosed = true;
    for (const timer of timers) clearInterval(timer);
    for (const { connection } of ends) await connection.close();
  };
  return { join, payloads, close };
}
