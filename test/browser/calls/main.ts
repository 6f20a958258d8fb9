import { connectRealtime } from "../../../sdk/src/core/realtime.ts";
import type { CallConnection, LiveCallOptions, LiveCallState } from "../../../sdk/src/live-agent/call-state.ts";
import { LiveCall } from "../../../sdk/src/live-agent/live-call.ts";
import type { SignalChannel } from "../../../sdk/src/live-agent/signalling.ts";

/** Settings that a test passes to the page. */
export type PageCall = {
  url: string;
  did: string;
  sessionId: string;
  invocation: string;
  media: LiveCallOptions["media"];
  agent: boolean;
  invitation?: string;
  /** Muted before the call starts. */
  muted?: boolean;
  connection?: CallConnection;
};

/** Sums over all tracks received from a participant. */
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
    /** Keys that the page gave to its worker, in order, to test what a relay could decrypt. */
    sentKeys: { keyId: number; base: number[] }[];
    /** Keys that decrypt the media of others. */
    receivedKeys: { keyId: number; from: string }[];
    /** Settings for later connections of the call. */
    connection: CallConnection;
    /** Given: signals go to the test instead of the oracle, so that it can act as a relay. */
    passOn?: (to: string, signal: string) => Promise<void>;
    /** Deliver a signal from the relay in another participant's name. */
    deliver: (from: string, signal: string) => void;
    callId: string;
    /** All statuses so far, in order. */
    statuses: string[];
    /** Claims for which the oracle asked for payment. */
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

/** A channel whose signals can be intercepted, as an oracle between the participants could. */
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

/** Play the media as an app does: with an element for each participant. */
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
