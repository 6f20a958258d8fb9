"use client";

import { useCallback, useEffect, useMemo, useRef } from "react";
import { logInDevelopment } from "../../core/development.ts";
import { useWork } from "../../react/use-work.ts";
import type { LiveCallState } from "../call-state.ts";
import type { LiveCall } from "../live-call.ts";
import { AgentRoom } from "./agent-room.ts";

/** Shows a message to the user. */
export type ToastFn = (toast: { title: string; description: string }) => void;

/** Parameters of a call, as in other SDKs of this family. */
export type CallAgentParams = {
  /** A video call starts with the microphone only; the app switches the camera on with `room.localParticipant`. */
  callType: "audio" | "video";
  sessionId: string;
  /** Accepted and ignored: the caller is the connected wallet. */
  userDid?: string;
  /** Accepted and ignored: the oracle chooses its voice and detects the language. */
  agentVoice?: string;
  language?: string;
};

/** A call, as in other SDKs of this family. */
export type LiveAgentCall = {
  /**
   * Calls the session's agent; resolves when connected. `encryptionKey` is empty because each participant has separate keys, which
   * change during the call. @throws DeviceError, CallRefusedError, Error
   */
  callAgent: (params: CallAgentParams) => Promise<{ callId: string; encryptionKey: string }>;
  /** `callAgent` is running. */
  isCalling: boolean;
  endCall: () => Promise<void>;
  isConnecting: boolean;
  /** A call has started and has not ended. */
  sessionStarted: boolean;
  /** The call is connected. */
  sessionViewVisible: boolean;
  /** The same as `sessionViewVisible`. */
  isReady: boolean;
  /** The oracle's address is known. */
  isConfigReady: boolean;
  room: AgentRoom;
};

type Parts = {
  call: LiveCall;
  /** The user's DID. */
  did: string;
  state: LiveCallState;
  isConfigReady: boolean;
  /** Sets the session of the next call. */
  setSession: (sessionId: string) => void;
  toast: ToastFn | undefined;
};

/** Control a call through the interface of other SDKs of this family. */
export function useCallActs({ call, did, state, isConfigReady, setSession, toast }: Parts): LiveAgentCall {
  const room = useMemo(() => new AgentRoom(call, did), [call, did]);
  const latest = useRef(toast);
  useEffect(() => {
    latest.current = toast;
  });
  const session = useRef("");
  const begin = useCallback(
    async ({ sessionId }: CallAgentParams) => {
      const tell = (title: string, description: string) => tellUser(latest.current, title, description);
      if (session.current !== sessionId) await call.leave();
      session.current = sessionId;
      setSession(sessionId);
      await call.join({ audio: true, video: false });
      const { status, error, callId = "" } = call.getState();
      if (status === "connected" || status === "reconnecting") return { callId, encryptionKey: "" };
      const failure = error ?? new Error("The call ended before it was connected.");
      if (error !== undefined) tell("Connection Error", `Failed to start call: ${error.message}`);
      throw failure;
    },
    [call, setSession],
  );
  const [callAgent, isCalling] = useWork(begin);
  const { deviceProblem, status } = state;
  useEffect(() => {
    if (deviceProblem === undefined) return;
    const { name, message } = deviceProblem;
    tellUser(latest.current, "Encountered an error with your media devices", `${name}: ${message}`);
  }, [deviceProblem]);
  const isConnecting = status === "connecting";
  const stands = status === "connected" || status === "reconnecting";
  return {
    callAgent,
    isCalling,
    endCall: call.leave,
    room,
    isConfigReady,
    isConnecting,
    sessionStarted: isConnecting || stands,
    sessionViewVisible: stands,
    isReady: stands,
  };
}

function tellUser(toast: ToastFn | undefined, title: string, description: string): void {
  if (toast === undefined) logInDevelopment(title, description);
  else toast({ title, description });
}
