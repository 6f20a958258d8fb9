"use client";

import { useEffect, useMemo } from "react";
import { Chat } from "../core/chat.ts";
import { chatMethods, connectChat, isBusy, matrixHeadersOf, reloadSessionLists } from "../core/chat-methods.ts";
import type { ChatState } from "../core/chat-state.ts";
import type { IBrowserTools } from "../core/client-tools.ts";
import type { SendOptions } from "../core/messages.ts";
import { isShownBy } from "../core/shown-calls.ts";
import type {
  ConfirmationRequest,
  IAttachment,
  JsonObject,
  Overrides,
  RefetchOptions,
  StreamingMode,
} from "../core/types.ts";
import { useOraclesContext } from "./context.tsx";
import type { UIComponents } from "./ui-components.ts";
import { useOracleUrls } from "./use-oracles-config.ts";
import { useStore } from "./use-store.ts";

export type IChatOptions = {
  oracleDid: string;
  /** Id of the session to read and write; empty while there is none. */
  sessionId: string;
  /** Called with the unpaid claims when the oracle requires payment. */
  onPaymentRequiredError: (claimIds: string[]) => void;
  /** Functions in the user's tab that the agent may call. */
  browserTools?: IBrowserTools;
  /** Components that the agent may show, by name. */
  uiComponents?: UIComponents;
  /** URLs to use in place of the registered ones. */
  overrides?: Overrides;
  /**
   * When streamed text updates the state: for each chunk (`immediate`, the default), once per animation frame (`batched`), or once per
   * `streamingThrottleMs` (`throttled`).
   */
  streamingMode?: StreamingMode;
  /** Milliseconds; 50 by default. */
  streamingThrottleMs?: number;
  /** Number of turns to read at first and with each `loadEarlier`; 20 by default. */
  historyPageSize?: number;
  /** Id of the model that answers, one of `useModels`; the oracle's default when omitted. */
  model?: string | undefined;
  /** Asked before the agent pays, purges or does anything irreversible; without it such calls are refused. */
  onConfirmationRequest?: (request: ConfirmationRequest) => Promise<boolean> | boolean;
};

export type UseChatReturn = ChatState & {
  /**
   * Submits a message. Resolves when the answer has ended; a failure is in `sendMessageError`. Waits until the oracle's URL is known.
   * Ends a running answer; its text so far stays.
   * @param more attachments, or other options of the message
   */
  sendMessage: (message: string, metadata?: JsonObject, more?: IAttachment[] | SendOptions) => Promise<void>;
  /** Stops the running answer; its text so far stays. */
  abortStream: () => Promise<void>;
  isSending: boolean;
  /** Reads the thread again; drops a message that the oracle did not accept. */
  refetchMessages: (options?: RefetchOptions) => Promise<ChatState["messages"] | undefined>;
  isConfigReady: boolean;
  /** Loads earlier turns, if there are any. */
  loadEarlier: () => Promise<void>;
};

/**
 * Read and write one session's thread with an oracle; messages stream in.
 * @throws Error outside an OraclesProvider
 * @example
 * ```tsx
 * import { renderMessageContent, useChat } from "@hearth/oracles-client-sdk";
 *
 * export function ChatView({ oracleDid, sessionId }: { oracleDid: string; sessionId: string }) {
 *   const { messages, sendMessage, isSending, sendMessageError } = useChat({
 *     oracleDid,
 *     sessionId,
 *     onPaymentRequiredError: (claimIds) => alert(`Unpaid: ${claimIds.join(", ")}`),
 *   });
 *   return (
 *     <main aria-busy={isSending}>
 *       {messages.map(({ id, content }) => (
 *         <article key={id}>{renderMessageContent(content)}</article>
 *       ))}
 *       <button onClick={() => sendMessage("How many vouchers are open?")}>Ask</button>
 *       {sendMessageError?.message}
 *     </main>
 *   );
 * }
 * ```
 */
export function useChat(options: IChatOptions): UseChatReturn {
  const { oracleDid, sessionId, overrides } = options;
  const { connections } = useOraclesContext();
  const { baseUrl, wsUrl, isReady, error } = useOracleUrls(oracleDid, overrides);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another oracle or user means another thread
  const chat = useMemo(() => new Chat(sessionId, inertOptions), [connections, oracleDid, sessionId]);
  useChatOptions(chat, options);
  const state = useStore(chat);
  useEffect(
    () => connectChat(chat, connections, { oracleDid, baseUrl, wsUrl }),
    [chat, connections, oracleDid, baseUrl, wsUrl],
  );
  useEffect(() => {
    if (error !== undefined && baseUrl === undefined) chat.unreachable(error);
  }, [chat, error, baseUrl]);
  const isSending = isBusy(state);
  useEffect(() => {
    if (isSending && baseUrl !== undefined) return () => reloadSessionLists(connections, oracleDid, baseUrl);
  }, [connections, oracleDid, baseUrl, isSending]);
  const methods = useMemo(() => chatMethods(chat), [chat]);
  const isLoading = state.isLoading && sessionId !== "" && error === undefined;
  return { ...state, ...methods, isSending, isLoading, error: state.error ?? error, isConfigReady: isReady };
}

const inertOptions = { onPaymentRequiredError: () => {} };

/** Pass the app's current options to the chat; render again when they change which calls are shown. */
function useChatOptions(chat: Chat, { uiComponents, ...options }: IChatOptions): void {
  const { agActions, executeAgAction, getAgActionRender, uiComponents: mounted, wallet } = useOraclesContext();
  useEffect(() => {
    const isShown = isShownBy(uiComponents ?? {}, (name) => getAgActionRender(name) !== undefined);
    const more = { actions: agActions, runAction: executeAgAction, isShown, matrixHeaders: matrixHeadersOf(wallet) };
    chat.options = { ...options, ...more };
  });
  useEffect(() => {
    if (uiComponents === undefined) return;
    mounted.add(uiComponents);
    return () => void mounted.delete(uiComponents);
  }, [mounted, uiComponents]);
  const shown = [...Object.keys(uiComponents ?? {}), "|", ...agActions.map(({ name }) => name)].join(" ");
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the names decide what is shown
  useEffect(() => chat.refresh(), [chat, shown]);
}
