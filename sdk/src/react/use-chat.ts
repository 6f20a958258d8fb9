import { useEffect, useMemo } from "react";
import { Chat } from "../core/chat.ts";
import type { ChatState } from "../core/chat-state.ts";
import type { IBrowserTools } from "../core/client-tools.ts";
import { logInDevelopment } from "../core/development.ts";
import type { SendOptions } from "../core/messages.ts";
import type { IsShown } from "../core/turn.ts";
import type { ConfirmationRequest, IAttachment, JsonObject, Overrides, StreamingMode, Wallet } from "../core/types.ts";
import { useOraclesContext } from "./context.tsx";
import { hasComponent, type UIComponents } from "./ui-components.ts";
import { useOracleUrls } from "./use-oracles-config.ts";
import { useStore } from "./use-store.ts";

export type IChatOptions = {
  oracleDid: string;
  /** The session to read and write; empty until there is one. */
  sessionId: string;
  /** Called with the open claims when the oracle wants to be paid first. */
  onPaymentRequiredError: (claimIds: string[]) => void;
  /** Functions in the user's tab that the agent may call. */
  browserTools?: IBrowserTools;
  /** Components that the agent may show, by name. */
  uiComponents?: UIComponents;
  /** URLs to use in place of the registered ones. */
  overrides?: Overrides;
  /**
   * `immediate` (default): state changes with each piece of text; `batched`: once per animation frame; `throttled`: the first piece at
   * once, then once in `streamingThrottleMs`.
   */
  streamingMode?: StreamingMode;
  /** Milliseconds; 50 when absent. */
  streamingThrottleMs?: number;
  /** How many turns are read at first, and by each `loadEarlier`; 20 when absent. */
  historyPageSize?: number;
  /** The model that answers, one of `useModels`; the oracle's default when absent. */
  model?: string | undefined;
  /** Asked before the agent pays, purges, or does what cannot be undone; without it all such calls are refused. */
  onConfirmationRequest?: (request: ConfirmationRequest) => Promise<boolean> | boolean;
};

export type UseChatReturn = ChatState & {
  /**
   * Submit a message. Resolves when the answer has ended; a failure is in `sendMessageError`. Before the oracle's address is known it
   * waits. While an answer is under way it ends that one, which keeps what it has said.
   * @param more attachments, or what else goes with the message
   */
  sendMessage: (message: string, metadata?: JsonObject, more?: IAttachment[] | SendOptions) => Promise<void>;
  /** End the answer in flight; what it said so far stays. */
  abortStream: () => Promise<void>;
  isSending: boolean;
  /** Read the thread again; drops a message that was not taken. */
  refetchMessages: () => Promise<ChatState["messages"] | undefined>;
  isConfigReady: boolean;
  /** Read the turns before those that are shown; nothing happens when there are none. */
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: another oracle or user is another thread
  const chat = useMemo(() => new Chat(sessionId, inertOptions), [connections, oracleDid, sessionId]);
  useChatOptions(chat, options);
  const state = useStore(chat);
  useEffect(() => {
    if (baseUrl === undefined || wsUrl === undefined || sessionId === "") return;
    const channel = connections.channelOf({ oracleDid, sessionId, url: wsUrl });
    const disconnect = chat.connect({ client: connections.clientOf(oracleDid, baseUrl), channel });
    return () => {
      disconnect();
      channel.close();
    };
  }, [chat, connections, oracleDid, sessionId, baseUrl, wsUrl]);
  useEffect(() => {
    if (error !== undefined && baseUrl === undefined) chat.unreachable(error);
  }, [chat, error, baseUrl]);
  useSessionTitles(options, baseUrl, state.status);
  const methods = useMemo(() => methodsOf(chat), [chat]);
  const isSending = state.status === "submitted" || state.status === "streaming";
  const isLoading = state.isLoading && sessionId !== "" && error === undefined;
  return { ...state, ...methods, isSending, isLoading, error: state.error ?? error, isConfigReady: isReady };
}

const inertOptions = { onPaymentRequiredError: () => {} };

function methodsOf(chat: Chat): Pick<UseChatReturn, "sendMessage" | "abortStream" | "refetchMessages" | "loadEarlier"> {
  return {
    sendMessage: (message, metadata, more = {}) => {
      const options = Array.isArray(more) ? { attachments: more } : more;
      return chat.send(message, { ...options, ...(isObject(metadata) ? { metadata } : {}) });
    },
    loadEarlier: () => chat.loadEarlier(),
    abortStream: () => chat.abort(),
    refetchMessages: () => chat.refetch(),
  };
}

/** `onClick={() => sendMessage(text)}` is as usual as `form.submit(sendMessage)`, which hands over an event too. */
function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Tell the chat what the app says now; draw it again when other calls are shown than before. */
function useChatOptions(chat: Chat, options: IChatOptions): void {
  const { agActions, executeAgAction, getAgActionRender, uiComponents: mounted, wallet } = useOraclesContext();
  const { uiComponents } = options;
  const { onPaymentRequiredError, browserTools, onConfirmationRequest } = options;
  const { streamingMode, streamingThrottleMs, historyPageSize, model } = options;
  const isShown: IsShown = ({ kind, name }) => {
    if (kind === "action" && getAgActionRender(name) !== undefined) return true;
    const isKnown = hasComponent(uiComponents ?? {}, kind, name);
    if (!isKnown && kind === "component")
      logInDevelopment(`The oracle shows "${name}", which uiComponents does not have.`);
    return isKnown;
  };
  const now = {
    ...{ onPaymentRequiredError, browserTools, onConfirmationRequest },
    ...{ streamingMode, streamingThrottleMs, historyPageSize, model },
    ...{ actions: agActions, runAction: executeAgAction, isShown, matrixHeaders: matrixHeadersOf(wallet) },
  };
  useEffect(() => {
    chat.options = now;
  });
  useEffect(() => {
    if (uiComponents === undefined) return;
    mounted.add(uiComponents);
    return () => void mounted.delete(uiComponents);
  }, [mounted, uiComponents]);
  const shown = [...Object.keys(uiComponents ?? {}), "|", ...agActions.map(({ name }) => name)].join(" ");
  // biome-ignore lint/correctness/useExhaustiveDependencies: names alone decide what is drawn
  useEffect(() => chat.refresh(), [chat, shown]);
}

function matrixHeadersOf({ matrix }: Wallet): Record<string, string> {
  return { "x-matrix-access-token": matrix.accessToken, "x-matrix-homeserver": matrix.homeServer };
}

/** A session gets its title from its first messages: lists of sessions that are shown read it after a turn. */
function useSessionTitles({ oracleDid }: IChatOptions, baseUrl: string | undefined, status: string): void {
  const { connections } = useOraclesContext();
  const isBusy = status === "submitted" || status === "streaming";
  useEffect(() => {
    if (!isBusy || baseUrl === undefined) return;
    return () => {
      for (const list of connections.sessionListsOf(oracleDid, baseUrl)) {
        if (list.get().sessions !== undefined) void list.load();
      }
    };
  }, [connections, oracleDid, baseUrl, isBusy]);
}
