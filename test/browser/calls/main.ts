import { connectRealtime } from "../../../sdk/src/core/realtime.ts";
import type { CallConnection, LiveCallOptions, LiveCallState } from "../../../sdk/src/live-agent/call-state.ts";
import { LiveCall } from "../../../sdk/src/live-agent/live-call.ts";
import type { SignalChannel } from "../../../sdk/src/live-agent/signalling.ts";

/** What a test tells the page: who it is, and where. */
export type PageCall = {
  url: string;
  did: string;
  sessionId: string;
  invocation: string;
  media: LiveCallOptions["media"];
  agent: boolean;
  invitation?: string;
  /** Silenced before the call begins. */
  muted?: boolean;
  connection?: CallConnection;
};

/** Sums over the tracks that come from a participant. */
export type Received = { framesDecoded: number; framesReceived: number; audioEnergy: number; packets: number };

declare global {
  interface Window {
    call: LiveCall;
    begin: (given: PageCall) => Promise<void>;
    state: () => Omit<LiveCallState, "localStream" | "devices" | "error" | "deviceProblem"> & {
      error: string | undefined;
      deviceProblem: { kind: string; reason: string } | undefined;
      tracks: number;
    };
    received: () => Promise<Received[]>;
    /** Keys that the page gave to its worker, in order: for the test of what a relay could read. */
    sentKeys: { keyId: number; base: number[] }[];
    /** Keys by which it opens what others send. */
    receivedKeys: { keyId: number; from: string }[];
    /** How connections of the call are made from now on. */
    connection: CallConnection;
    /** Steps to a connection go to the test instead of the oracle, where it stands between the two. */
    passOn?: (to: string, signal: string) => Promise<void>;
    /** What the one who stands between says in another's name. */
    deliver: (from: string, signal: string) => void;
    callId: string;
    /** Every status so far, in order. */
    statuses: string[];
    /** Claims that the oracle wanted to be paid. */
    demands: string[][];
  }
}

[window.sentKeys, window.receivedKeys, window.statuses, window.demands] = [[], [], [], []];
const post = Worker.prototype.postMessage as (this: Worker, message: unknown, rest: never) => void;
Worker.prototype.postMessage = function (this: Worker, message: unknown, rest: never) {
  const { type, keyId, base, from } = message as { type: string; keyId: number; base: Uint8Array; from: string };
  if (type === "send-key") window.sentKeys.push({ keyId, base: [...base] });
  if (type === "receive-key") window.receivedKeys.push({ keyId, from });
  post.call(this, message, rest);
} as Worker["postMessage"];

window.begin = async ({ url, did, sessionId, invocation, media, agent, invitation, muted, connection }) => {
  const auth = async () => (invitation === undefined ? { invocation } : { invocation, callInvitation: invitation });
  window.connection = connection ?? {};
  const openChannel = () => interceptable(connectRealtime({ url, sessionId, auth }));
  const onPaymentRequiredError = (claimIds: string[]) => void window.demands.push(claimIds);
  window.call = new LiveCall({
    openChannel,
    did,
    media,
    agent,
    onPaymentRequiredError,
    connection: () => window.connection,
  });
  window.call.subscribe(play);
  window.call.subscribe(() => {
    const { status } = window.call.getState();
    if (status !== window.statuses.at(-1)) window.statuses.push(status);
  });
  if (muted) await window.call.setMuted(true);
  await window.call.join();
};

/** As an oracle could that stands between participants. */
function interceptable(channel: SignalChannel): SignalChannel {
  const { passOn } = window;
  if (passOn === undefined) return channel;
  const request: SignalChannel["request"] = async <T>(event: string, payload: unknown) => {
    if (event !== "call_signal") {
      const answer = await channel.request<T>(event, payload);
      if (event === "call_join") ({ callId: window.callId } = answer as { callId: string });
      return answer;
    }
    const { to, ...signal } = payload as { to: string };
    await passOn(to, JSON.stringify(signal));
    return { sent: true } as T;
  };
  const on: SignalChannel["on"] = (event, listener) => {
    window.deliver = (from, signal) => {
      const { callId } = window;
      listener({ eventName: "call_signal", payload: { callId, from, ...JSON.parse(signal) } });
    };
    return channel.on(event, listener);
  };
  return { ...channel, request, on, onStatus: (listener) => channel.onStatus(listener), close: () => channel.close() };
}

/** As an app does: an element for each participant. */
function play(): void {
  for (const { id, stream } of window.call.getState().participants) {
    if (document.getElementById(id) !== null) continue;
    const video = Object.assign(document.createElement("video"), { id, srcObject: stream, autoplay: true });
    document.body.append(video);
  }
}

window.state = () => {
  const { localStream, devices: _, error, deviceProblem: problem, ...state } = window.call.getState();
  const deviceProblem = problem && { kind: problem.kind, reason: problem.reason };
  return { ...state, error: error?.message, deviceProblem, tracks: localStream?.getTracks().length ?? 0 };
};

window.received = async () => {
  const { participants } = window.call.getState();
  return await Promise.all(
    participants.map(async ({ id }) => {
      const sum: Received = { framesDecoded: 0, framesReceived: 0, audioEnergy: 0, packets: 0 };
      for (const stat of (await window.call.getStats(id))?.values() ?? []) {
        if (stat.type !== "inbound-rtp") continue;
        sum.framesDecoded += stat.framesDecoded ?? 0;
        sum.framesReceived += stat.framesReceived ?? 0;
        sum.audioEnergy += stat.totalAudioEnergy ?? 0;
        sum.packets += stat.packetsReceived ?? 0;
      }
      return sum;
    }),
  );
};
