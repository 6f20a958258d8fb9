import type { Credentials } from "./credentials.ts";
import { connectRealtime, type RealtimeChannel } from "./realtime.ts";

/** How long an unused channel stays open, in milliseconds: React's strict mode unmounts and immediately mounts again. */
const lingerMs = 500;

type Shared = { channel: RealtimeChannel; users: number; closing?: ReturnType<typeof setTimeout> };

export type ChannelOf = { oracleDid: string; sessionId: string /** Of the oracle's socket. */; url: string };

/** Share one socket per session between all parts of the app. */
export class Channels {
  readonly #credentials: Credentials;
  readonly #shared = new Map<string, Shared>();

  constructor(credentials: Credentials) {
    this.#credentials = credentials;
  }

  /** Open a handle on the session's channel; the caller closes it. */
  open({ oracleDid, sessionId, url }: ChannelOf): RealtimeChannel {
    const key = `${url} ${oracleDid} ${sessionId}`;
    const known = this.#shared.get(key);
    const shared = known ?? { channel: this.#connect({ oracleDid, sessionId, url }), users: 0 };
    this.#shared.set(key, shared);
    shared.users += 1;
    clearTimeout(shared.closing);
    return handleOf(shared.channel, () => {
      shared.users -= 1;
      if (shared.users > 0) return;
      shared.closing = setTimeout(() => {
        this.#shared.delete(key);
        shared.channel.close();
      }, lingerMs);
    });
  }

  #connect({ oracleDid, sessionId, url }: ChannelOf): RealtimeChannel {
    return connectRealtime({
      url,
      sessionId,
      auth: () => this.#credentials.handshake(oracleDid),
      onRefused: ({ ucanDelegation: delegation = "", invocation }) =>
        this.#credentials.refused(oracleDid, { delegation, ...(invocation === undefined ? {} : { invocation }) }),
    });
  }
}

/** Make a handle with separate listeners: closing it removes them and leaves the channel open for others. */
function handleOf(channel: RealtimeChannel, release: () => void): RealtimeChannel {
  const stops: (() => void)[] = [];
  let isOpen = true;
  const kept = (stop: () => void) => {
    stops.push(stop);
    return stop;
  };
  return {
    get isConnected() {
      return channel.isConnected;
    },
    emit: (event, payload) => channel.emit(event, payload),
    request: (event, payload, timeoutMs) => channel.request(event, payload, timeoutMs),
    on: (event, listener) => kept(channel.on(event, listener)),
    onStatus: (listener) => kept(channel.onStatus(listener)),
    close: () => {
      if (!isOpen) return;
      isOpen = false;
      for (const stop of stops) stop();
      release();
    },
  };
}
