import type { KeyHolder, WrappedKey } from "./call-keys.ts";

/** The part of the SDK's realtime channel that calls use. */
export type SignalChannel = {
  /** Send an event and wait for its acknowledgement. */
  request: <T>(event: string, payload: unknown, timeoutMs?: number) => Promise<T>;
  /** Listen to an event; returns a function that stops. */
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
  /** Whether the oracle's agent was invited. */
  agent: boolean;
};

/** One message of the negotiation of a connection. */
export type Signal = {
  description?: RTCSessionDescriptionInit;
  /** The offer is for a new connection. */
  anew?: true;
  candidate?: RTCIceCandidateInit;
};

/** Text shown in a call: a transcript of speech, the agent's answer, or a notice. */
export type Caption = {
  id: string;
  /** Id of the participant it comes from. */
  from: string;
  role: "user" | "agent" | "notice";
  text: string;
  /**
   * Kind of a notice, for translation: `cannot-hear`, `writes-only`, `not-understood`, `not-answered`, `no-voice`,
   * `payment-required`, or `refused` for a refusal that only the text describes.
   */
  code?: string;
  /** False while more text follows under the same id. */
  isFinal: boolean;
  /** Unix milliseconds. */
  at: number;
};

type Of<Name extends string, Payload> = { eventName: Name; payload: Payload & { callId: string } };

/** Events of a call. */
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
  /** For example CONFLICT when the call is full, or RATE_LIMITED. */
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

/** Send a request of a call. @throws CallRefusedError, or Error when no response arrives in time */
export async function ask<T>(channel: SignalChannel, event: string, payload: object = {}): Promise<T> {
  type Refusal = { error?: { code: string; message: string } };
  const answer = await channel.request<T & Refusal>(event, payload);
  if (answer.error !== undefined) throw new CallRefusedError(answer.error.code, answer.error.message);
  return answer;
}

/** Listen to the events of calls; returns a function that stops. */
export function onCallEvent(channel: SignalChannel, hear: (event: CallEvent) => void): () => void {
  return channel.on("event", (told) => {
    const event = told as CallEvent;
    if (event.eventName.startsWith("call_")) hear(event);
  });
}
