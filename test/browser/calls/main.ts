import { connectRealtime } from "../../../sdk/src/core/realtime.ts";
import type { LiveCallOptions, LiveCallState } from "../../../sdk/src/live-agent/call-state.ts";
import { LiveCall } from "../../../sdk/src/live-agent/live-call.ts";

/** What a test tells the page: who it is, and where. */
export type PageCall = {
  url: string;
  did: string;
  sessionId: string;
  invocation: string;
  media: LiveCallOptions["media"];
  agent: boolean;
  invitation?: string;
};

/** Sums over the tracks that come from a participant. */
export type Received = { framesDecoded: number; framesReceived: number; audioEnergy: number; packets: number };

declare global {
  interface Window {
    call: LiveCall;
    begin: (given: PageCall) => Promise<void>;
    state: () => Omit<LiveCallState, "localStream" | "devices" | "error"> & {
      error: string | undefined;
      tracks: number;
    };
    received: () => Promise<Received[]>;
    /** Keys that the page gave to its worker, in order: for the test of what a relay could read. */
    sentKeys: { keyId: number; base: number[] }[];
  }
}

window.sentKeys = [];
const post = Worker.prototype.postMessage as (this: Worker, message: unknown, rest: never) => void;
Worker.prototype.postMessage = function (this: Worker, message: unknown, rest: never) {
  const command = message as { type: string; keyId: number; base: Uint8Array };
  if (command.type === "send-key") window.sentKeys.push({ keyId: command.keyId, base: [...command.base] });
  post.call(this, message, rest);
} as Worker["postMessage"];

window.begin = async ({ url, did, sessionId, invocation, media, agent, invitation }) => {
  const auth = async () => (invitation === undefined ? { invocation } : { invocation, callInvitation: invitation });
  const openChannel = () => connectRealtime({ url, sessionId, auth });
  window.call = new LiveCall({ openChannel, did, media, agent });
  window.call.subscribe(play);
  await window.call.join();
};

/** As an app does: an element for each participant. */
function play(): void {
  for (const { id, stream } of window.call.getState().participants) {
    if (document.getElementById(id) !== null) continue;
    const video = Object.assign(document.createElement("video"), { id, srcObject: stream, autoplay: true });
    document.body.append(video);
  }
}

window.state = () => {
  const { localStream, devices: _, error, ...state } = window.call.getState();
  return { ...state, error: error?.message, tracks: localStream?.getTracks().length ?? 0 };
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
