import type { OracleClient } from "./client.ts";
import type { AgAction, IBrowserTools } from "./client-tools.ts";
import type { RealtimeChannel } from "./realtime.ts";
import type { IsShown } from "./turn.ts";
import type { ChatRunState, ChatStatus, ConfirmationRequest, IMessage, StreamingMode } from "./types.ts";

/** State before the first turn. */
export const IDLE_RUN_STATE: ChatRunState = {
  runId: null,
  requestId: null,
  reconnecting: false,
  resumed: 0,
  ended: null,
};

export type ChatState = {
  messages: IMessage[];
  status: ChatStatus;
  isLoading: boolean;
  /** Why reading the history failed. */
  error: Error | undefined;
  sendMessageError: Error | undefined;
  isRealTimeConnected: boolean;
  /** The running turn, or the last one. */
  run: ChatRunState;
  /** Whether there are earlier turns to load. */
  hasEarlier: boolean;
  isLoadingEarlier: boolean;
};

/** State before the history was read. */
export const initialChatState: ChatState = {
  messages: [],
  status: "ready",
  isLoading: true,
  run: IDLE_RUN_STATE,
  error: undefined,
  sendMessageError: undefined,
  isRealTimeConnected: false,
  hasEarlier: false,
  isLoadingEarlier: false,
};

/** The app's options; may change while the chat runs. */
export type ChatOptions = {
  onPaymentRequiredError: (claimIds: string[]) => void;
  streamingMode?: StreamingMode | undefined;
  /** Time between updates when `throttled`, in milliseconds; 50 by default. */
  streamingThrottleMs?: number | undefined;
  /** Number of turns per request; 20 by default. */
  historyPageSize?: number | undefined;
  /** Model for messages that name none. */
  model?: string | undefined;
  browserTools?: IBrowserTools | undefined;
  actions?: readonly AgAction[];
  runAction?: (name: string, args: unknown) => unknown;
  onConfirmationRequest?: ((request: ConfirmationRequest) => Promise<boolean> | boolean) | undefined;
  /** Decides which calls are shown; none by default. */
  isShown?: IsShown;
  /** Headers for messages with attachments on the messaging network. */
  matrixHeaders?: Record<string, string>;
};

export type ChatConnection = { client: OracleClient; channel: RealtimeChannel };
