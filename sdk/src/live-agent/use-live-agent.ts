"use client";

import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from "react";
import type { Overrides } from "../core/types.ts";
import { useOraclesContext } from "../react/context.tsx";
import { useOracleUrls } from "../react/use-oracles-config.ts";
import { openCallChannel } from "./call-channel.ts";
import type { CallConnection, LiveCallOptions, LiveCallState } from "./call-state.ts";
import { type LiveAgentCall, type ToastFn, useCallActs } from "./family/call-acts.ts";
import { LiveCall } from "./live-call.ts";

export type UseLiveAgentOptions = CallConnection &
  Pick<LiveCallOptions, "media" | "agent" | "onPaymentRequiredError"> & {
    oracleDid: string;
    /** Id of the call's session; ignored for a guest. */
    sessionId: string;
    /** URLs to use instead of the registered ones. */
    overrides?: Overrides | undefined;
    /** For a guest: the secret that `invite` returned to the owner of the call. */
    invitation?: string | undefined;
  };

export type UseLiveAgentReturn = LiveCallState &
  Pick<LiveCall, "leave" | "setMuted" | "toggleMute" | "setVideoEnabled" | "selectDevice" | "invite" | "getStats"> & {
    /** Requests the devices and joins the call. Failures are in `status` and `error`. */
    join: () => Promise<void>;
    /** The oracle's URL is known, so that `join` works. */
    isReady: boolean;
  };

/**
 * Talk by voice and video with the oracle's agent and the other participants of the session's call. Media is encrypted end to end
 * between the participants; the agent is one of them. The call ends when the component unmounts.
 * @throws Error outside an OraclesProvider
 * @example
 * ```tsx
 * import { useLiveAgent } from "@hearth/oracles-client-sdk/live-agent";
 *
 * export function CallButton({ oracleDid, sessionId }: { oracleDid: string; sessionId: string }) {
 *   const { status, error, join, leave } = useLiveAgent({ oracleDid, sessionId });
 *   return (
 *     <p>
 *       <button onClick={status === "connected" ? leave : join}>{status === "connected" ? "Hang up" : "Call"}</button>
 *       {error?.message}
 *     </p>
 *   );
 * }
 * ```
 */
export function useLiveAgent(options: UseLiveAgentOptions): UseLiveAgentReturn;
/**
 * Do the same with the arguments of other SDKs of this family. The messaging client and the token are accepted and ignored: calls use
 * the oracle's own socket, and no media server checks a token.
 * @param toastAlert shows errors to the user
 */
export function useLiveAgent(
  oracleDid: string,
  mxClient: unknown,
  openIdToken: unknown,
  toastAlert?: ToastFn,
  overrides?: Overrides,
): LiveAgentCall;
export function useLiveAgent(
  given: string | UseLiveAgentOptions,
  _mxClient?: unknown,
  _openIdToken?: unknown,
  toast?: ToastFn,
  overrides?: Overrides,
): UseLiveAgentReturn | LiveAgentCall {
  const options: UseLiveAgentOptions =
    typeof given === "string"
      ? { oracleDid: given, sessionId: "", overrides, onPaymentRequiredError: (ids) => toast?.(payFirst(ids)) }
      : given;
  // Both forms use the same hooks, because their number must not change.
  const { call, state, isReady, setSession } = useCall(options);
  const { wallet } = useOraclesContext();
  const acts = useCallActs({ call, did: wallet.did, state, isConfigReady: isReady, setSession, toast });
  if (typeof given === "string") return acts;
  const { leave, setMuted, toggleMute, setVideoEnabled, selectDevice, invite, getStats } = call;
  const join = () => call.join(options.media);
  return { ...state, isReady, join, leave, setMuted, toggleMute, setVideoEnabled, selectDevice, invite, getStats };
}

const payFirst = (claimIds: string[]) => ({ title: "Payment required", description: claimIds.join(", ") });

function useCall(options: UseLiveAgentOptions) {
  const { oracleDid, sessionId, overrides, agent, invitation } = options;
  // Read when a call starts or a callback runs.
  const now = useRef(options);
  useEffect(() => {
    now.current = options;
  });
  const { wallet, channelOf, credentials } = useOraclesContext();
  const { wsUrl, isReady } = useOracleUrls(oracleDid, overrides);
  const chosen = useRef<string | undefined>(undefined);
  const setSession = useCallback((id: string) => {
    chosen.current = id;
  }, []);
  const call = useMemo(() => {
    const address = () => ({ oracleDid, sessionId: chosen.current ?? sessionId, url: wsUrl, invitation });
    return new LiveCall({
      openChannel: () => openCallChannel(address(), { channelOf, credentials }),
      did: wallet.did,
      agent,
      onPaymentRequiredError: (claimIds) => now.current.onPaymentRequiredError?.(claimIds),
      connection: () => now.current,
    });
  }, [oracleDid, sessionId, wsUrl, invitation, agent, wallet.did, channelOf, credentials]);
  useEffect(() => () => void call.leave(), [call]);
  const state = useSyncExternalStore(call.subscribe, call.getState, call.getState);
  return { call, state, isReady, setSession };
}
