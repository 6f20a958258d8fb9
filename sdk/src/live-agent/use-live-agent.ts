import { useEffect, useMemo, useRef, useSyncExternalStore } from "react";
import type { Handshake } from "../core/credentials.ts";
import { connectRealtime } from "../core/realtime.ts";
import type { Overrides } from "../core/types.ts";
import { type IOraclesContext, useOraclesContext } from "../react/context.tsx";
import { useOracleUrls } from "../react/use-oracles-config.ts";
import type { CallConnection, LiveCallOptions, LiveCallState } from "./call-state.ts";
import { LiveCall } from "./live-call.ts";
import type { SignalChannel } from "./signalling.ts";

export type UseLiveAgentOptions = CallConnection &
  Pick<LiveCallOptions, "media" | "agent" | "onPaymentRequiredError"> & {
    oracleDid: string;
    /** The session whose call it is; without meaning for a guest. */
    sessionId: string;
    /** Addresses to use instead of those that the oracle is registered with. */
    overrides?: Overrides | undefined;
    /** For a guest: the word that `invite` gave to the owner of the call. */
    invitation?: string | undefined;
  };

export type UseLiveAgentReturn = LiveCallState &
  Pick<LiveCall, "leave" | "setMuted" | "toggleMute" | "setVideoEnabled" | "selectDevice" | "invite" | "getStats"> & {
    /** Take part: asks for the devices, then for the call. Failures are in `status` and `error`. */
    join: () => Promise<void>;
    /** The oracle's address is known: one can join. */
    isReady: boolean;
  };

/**
 * Speak with the oracle's agent, and with whoever else is in the session's call, by voice and video. Media is encrypted end to
 * end between the participants; the agent is one of them. The call ends when the component goes.
 * @throws Error outside of an OraclesProvider
 */
export function useLiveAgent(options: UseLiveAgentOptions): UseLiveAgentReturn {
  const { oracleDid, sessionId, overrides, media, agent, invitation } = options;
  // What the app says now counts when a call begins, or its function is called.
  const now = useRef(options);
  useEffect(() => {
    now.current = options;
  });
  const context = useOraclesContext();
  const { wsUrl, isReady } = useOracleUrls(oracleDid, overrides);
  const { wallet, channelOf, credentials } = context;
  const call = useMemo(() => {
    const way = { oracleDid, sessionId, url: wsUrl, invitation };
    const openChannel = () => open(way, { channelOf, credentials });
    return new LiveCall({
      ...{ openChannel, did: wallet.did, agent },
      onPaymentRequiredError: (claimIds) => now.current.onPaymentRequiredError?.(claimIds),
      connection: () => now.current,
    });
  }, [oracleDid, sessionId, wsUrl, invitation, agent, wallet.did, channelOf, credentials]);
  useEffect(() => () => void call.leave(), [call]);
  const state = useSyncExternalStore(call.subscribe, call.getState, call.getState);
  const { leave, setMuted, toggleMute, setVideoEnabled, selectDevice, invite, getStats } = call;
  const join = () => call.join(media);
  return {
    ...{ ...state, isReady, join, leave, setMuted, toggleMute },
    ...{ setVideoEnabled, selectDevice, invite, getStats },
  };
}

type Way = { oracleDid: string; sessionId: string; url: string | undefined; invitation: string | undefined };

function open(
  { oracleDid, sessionId, url, invitation }: Way,
  { channelOf, credentials }: Pick<IOraclesContext, "channelOf" | "credentials">,
): SignalChannel {
  if (url === undefined) throw new Error("The oracle's address is not known yet.");
  if (invitation === undefined) return channelOf({ oracleDid, sessionId, url });
  // A guest's connection is of the call alone, and not one of a session that it may have open too.
  const auth = async (): Promise<Handshake> =>
    Object.assign(await credentials.handshake(oracleDid), { callInvitation: invitation });
  return connectRealtime({ url, sessionId: "", auth });
}
