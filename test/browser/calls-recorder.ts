import { MediaStreamTrack, RTCPeerConnection, useOPUS } from "werift";
import { CallKeys } from "../../sdk/src/live-agent/call-keys.ts";
import { connect, socketOf } from "../support/oracle/streams.ts";
import type { CallWorld } from "./calls-world.ts";

type Told = { eventName: string; payload: { description?: { type: "answer"; sdp: string }; candidate?: object } };

export type Recorder = {
  /** Media without the transport's encryption: what any media relay receives. */
  payloads: Buffer[];
  close: () => Promise<void>;
};

/** Act as a media relay: terminate a tab's connection and record what it receives, without any key. */
export async function recordCall({ oracle, user }: CallWorld, sessionId: string): Promise<Recorder> {
  const socket = socketOf(oracle, sessionId, { invocation: user.invocation });
  const refusal = await connect(socket);
  if (refusal !== undefined) throw new Error(refusal);
  const payloads: Buffer[] = [];
  const connection = new RTCPeerConnection({ codecs: { audio: [useOPUS()] } } as never);
  connection.onTrack.subscribe((track) => {
    track.onReceiveRtp.subscribe(({ payload }) => void payloads.push(Buffer.from(payload)));
  });
  socket.on("event", ({ eventName, payload }: Told) => {
    if (eventName !== "call_signal") return;
    if (payload.description !== undefined) void connection.setRemoteDescription(payload.description);
    else void connection.addIceCandidate(payload.candidate as never);
  });
  const { publicKey } = await CallKeys.generate();
  const joined = (await socket.emitWithAck("call_join", { publicKey })) as { participants: { id: string }[] };
  const to = joined.participants[0]?.id;
  connection.addTransceiver(new MediaStreamTrack({ kind: "audio" }), { direction: "sendrecv" });
  await connection.setLocalDescription(await connection.createOffer());
  const sdp = connection.localDescription?.sdp;
  await socket.emitWithAck("call_signal", { to, description: { type: "offer", sdp } });
  const close = async () => {
    await connection.close();
    socket.disconnect();
  };
  return { payloads, close };
}
