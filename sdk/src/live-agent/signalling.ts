import type { KeyHolder, WrappedKey } from "./call-keys.ts";

/** The part of the SDK's realtime channel that calls are made over. */
export type SignalChannel = {
  /** Send an event and wait for its acknowledgement. */
  request: <T>(event: string, payload: unknown, timeoutMs?: number) => Promise<T>;
  /** Listen to an event; returns the way out. */
  on: (event: string, listener: (payload: unknown) => void) => () => void;
  onStatus: (listener: (isConnected: boolean, error?: Error) => void) => () => void;
  close: () => void;
};

export type CallParticipant = KeyHolder & { kind: "user" | "agent"; muted: boolean; video: boolean };

export type Joined = {
  callId: string;
  participantId: string;
  participants: CallParticipant[];
  iceServers: RTCIceServer[];
  /** Whether the oracle's agent was asked to come. */
  agent: boolean;
};

/** One step of the way to a connection. */
export type Signal = {
  description?: RTCSessionDescriptionInit;
  /** The offer is of another connection than the one before. */
  anew?: true;
  candidate?: RTCIceCandidateInit;
};

/** Words that are shown in a call: what was heard, what is answered, or a notice of the agent. */
export type Caption = {
  id: string;
  /** The participant who says or shows it. */
  from: string;
  role: "user" | "agent" | "notice";
  text: string;
  /**
   * Of a notice: which one, for who shows it in another language. `cannot-hear`, `writes-only`, `not-understood`,
   * `not-answered`, `no-voice`, `payment-required`; `refused` for a refusal that the text alone tells.
   */
  code?: string;
  /** False while more of it comes under the same id. */
  isFinal: boolean;
  /** Unix milliseconds. */
  at: number;
};

type Of<Name extends string, Payload> = { eventName: Name; payload: Payload & { callId: string } };

/** What participants of a call are told. */
export type CallEvent =
  | Of<"call_joined" | "call_resumed", { participant: CallParticipant }>
  | Of<"call_left" | "call_ended", { from: string }>
  | Of<"call_signal", Signal & { from: string }>
  | Of<"call_key", WrappedKey & { from: string }>
  | Of<"call_state", { from: string; muted: boolean; video: boolean }>
  | Of<"call_caption", Omit<Caption, "at">>
  | Of<"call_payment_required", { from: string; claimIds: string[] }>;

/**
 * Report a call request that the oracle refused.
 * @example
 * ```ts
 * import { CallRefusedError, type LiveCall } from "@hearth/oracles-client-sdk/live-agent";
 *
 * export async function joinCall(call: LiveCall): Promise<void> {
 *   await call.join();
 *   const { error } = call.getState();
 *   if (error instanceof CallRefusedError && error.code === "CONFLICT") alert("The call is full.");
 * }
 * ```
 */
export class CallRefusedError extends Error {
  /** Such as CONFLICT when the call is full, or RATE_LIMITED. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = "CallRefusedError";
    this.code = code;
  }
}

/**
 * Report that the connection to the oracle was lost and did not come back in time.
 * @example
 * ```ts
 * import { CallLostError, type LiveCallState } from "@hearth/oracles-client-sdk/live-agent";
 *
 * export const mayRejoin = ({ error }: LiveCallState): boolean => error instanceof CallLostError;
 * ```
 */
export class CallLostError extends Error {
  constructor(cause?: unknown) {
    super("The connection to the call was lost.", { cause });
    this.name = "CallLostError";
  }
}

/** @throws CallRefusedError, or Error when no answer came in time */
export async function ask<T>(channel: SignalChannel, event: string, payload: object = {}): Promise<T> {
  type Refusal = { error?: { code: string; message: string } };
  const answer = await channel.request<T & Refusal>(event, payload);
  if (answer.error !== undefined) throw new CallRefusedError(answer.error.code, answer.error.message);
  return answer;
}

/** Hear what concerns calls; returns the way out. */
export function onCallEvent(channel: SignalChannel, hear: (event: CallEvent) => void): () => void {
  return channel.on("event", (told) => {
    const event = told as CallEvent;
    if (event.eventName.startsWith("call_")) hear(event);
  });
}
