import type { OracleClient } from "./client.ts";
import type { AgAction, IBrowserTools } from "./client-tools.ts";
import type { RealtimeChannel } from "./realtime.ts";
import type { IsShown } from "./turn.ts";
import type { ChatRunState, ChatStatus, ConfirmationRequest, IMessage, StreamingMode } from "./types.ts";

/** Before there was a turn. */
export const IDLE_RUN_STATE: ChatRunState = {
  ...{ runId: null, requestId: null, reconnecting: false, resumed: 0, ended: null },
};

export type ChatState = {
  messages: IMessage[];
  status: ChatStatus;
  isLoading: boolean;
  /** Why the history could not be read. */
  error: Error | undefined;
  sendMessageError: Error | undefined;
  isRealTimeConnected: boolean;
  /** The turn under way or the last one. */
  run: ChatRunState;
  /** There are turns before those that are shown. */
  hasEarlier: boolean;
  isLoadingEarlier: boolean;
};

/** Before anything was read. */
export const initialChatState: ChatState = {
  ...{ messages: [], status: "ready", isLoading: true, run: IDLE_RUN_STATE },
  ...{ error: undefined, sendMessageError: undefined, isRealTimeConnected: false },
  ...{ hasEarlier: false, isLoadingEarlier: false },
};

/** What the app says about its chat; may change while it runs. */
export type ChatOptions = {
  onPaymentRequiredError: (claimIds: string[]) => void;
  streamingMode?: StreamingMode | undefined;
  /** How long text gathers when `throttled`, in milliseconds; 50 when absent. */
  streamingThrottleMs?: number | undefined;
  /** Turns that are read at a time; 20 when absent. */
  historyPageSize?: number | undefined;
  /** Answers messages that name none themselves. */
  model?: string | undefined;
  browserTools?: IBrowserTools | undefined;
  actions?: readonly AgAction[];
  runAction?: (name: string, args: unknown) => unknown;
  onConfirmationRequest?: ((request: ConfirmationRequest) => Promise<boolean> | boolean) | undefined;
  /** Which calls are drawn; none without it. */
  isShown?: IsShown;
  /** Headers that go with messages whose attachments lie on the messaging network. */
  matrixHeaders?: Record<string, string>;
};

export type ChatConnection = { client: OracleClient; channel: RealtimeChannel };
