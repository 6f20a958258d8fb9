import { useCallback, useEffect, useMemo, useRef } from "react";
import { logInDevelopment } from "../../core/development.ts";
import { useWork } from "../../react/use-work.ts";
import type { LiveCallState } from "../call-state.ts";
import type { LiveCall } from "../live-call.ts";
import { AgentRoom } from "./agent-room.ts";

/** Tells the user of something. */
export type ToastFn = (toast: { title: string; description: string }) => void;

/** A call as apps of this family ask for it. */
export type CallAgentParams = {
  /** A video call begins with the microphone too; the app then switches the camera on at `room.localParticipant`. */
  callType: "audio" | "video";
  sessionId: string;
  /** Understood and of no effect: it is the connected wallet who calls. */
  userDid?: string;
  /** Understood and of no effect: the oracle is set up with a voice, and hears which language is spoken. */
  agentVoice?: string;
  language?: string;
};

/** What apps of this family know a call by. */
export type LiveAgentCall = {
  /**
   * Call the session's agent; resolves when the call stands. Every participant has keys of its own, which change while the call
   * lasts: there is none to hand out, and `encryptionKey` is empty. @throws DeviceError, CallRefusedError, Error
   */
  callAgent: (params: CallAgentParams) => Promise<{ callId: string; encryptionKey: string }>;
  /** `callAgent` is at work. */
  isCalling: boolean;
  endCall: () => Promise<void>;
  isConnecting: boolean;
  /** A call was begun and has not ended. */
  sessionStarted: boolean;
  /** The call stands. */
  sessionViewVisible: boolean;
  /** The same as `sessionViewVisible`. */
  isReady: boolean;
  /** The oracle's address is known. */
  isConfigReady: boolean;
  room: AgentRoom;
};

type Parts = {
  call: LiveCall;
  /** The user's. */
  did: string;
  state: LiveCallState;
  isConfigReady: boolean;
  /** From now on the call is of this session. */
  setSession: (sessionId: string) => void;
  toast: ToastFn | undefined;
};

/** A call as apps of this family drive it. */
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
      const failure = error ?? new Error("The call was ended before it stood.");
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
    ...{ callAgent, isCalling, endCall: call.leave, room, isConfigReady },
    ...{ isConnecting, sessionStarted: isConnecting || stands, sessionViewVisible: stands, isReady: stands },
  };
}

function tellUser(toast: ToastFn | undefined, title: string, description: string): void {
  if (toast === undefined) logInDevelopment(title, description);
  else toast({ title, description });
}
