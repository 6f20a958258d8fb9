import { useEffect, useMemo } from "react";
import { Chat, type ChatState } from "../core/chat.ts";
import type { IBrowserTools } from "../core/client-tools.ts";
import { logInDevelopment } from "../core/development.ts";
import type { SendOptions } from "../core/messages.ts";
import type { IsShown } from "../core/turn.ts";
import type { ConfirmationRequest, JsonObject, Overrides, StreamingMode, Wallet } from "../core/types.ts";
import { useOraclesContext } from "./context.tsx";
import type { UIComponents } from "./ui-components.ts";
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
  /** `immediate` (default): state changes with each piece of text; `batched`: once per animation frame. */
  streamingMode?: StreamingMode;
  /** Asked before the agent pays, purges, or does what cannot be undone; without it all such calls are refused. */
  onConfirmationRequest?: (request: ConfirmationRequest) => Promise<boolean> | boolean;
};

export type UseChatReturn = Omit<ChatState, never> & {
  /** Submit a message. Resolves when the answer has ended; a failure is in `sendMessageError`. */
  sendMessage: (message: string, metadata?: JsonObject, options?: SendOptions) => Promise<void>;
  /** End the answer in flight; what it said so far stays. */
  abortStream: () => Promise<void>;
  isSending: boolean;
  /** Read the thread again; drops a message that was not taken. */
  refetchMessages: () => Promise<ChatState["messages"] | undefined>;
  isConfigReady: boolean;
};

/** One session's thread with an oracle: its messages as they stream, and what it takes to add to them. */
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
  useSessionTitles(options, baseUrl, state.status);
  const methods = useMemo(() => methodsOf(chat), [chat]);
  const isSending = state.status === "submitted" || state.status === "streaming";
  const isLoading = state.isLoading && sessionId !== "" && error === undefined;
  return { ...state, ...methods, isSending, isLoading, error: state.error ?? error, isConfigReady: isReady };
}

const inertOptions = { onPaymentRequiredError: () => {} };

function methodsOf(chat: Chat): Pick<UseChatReturn, "sendMessage" | "abortStream" | "refetchMessages"> {
  return {
    sendMessage: (message, metadata, options = {}) =>
      chat.send(message, { ...options, ...(isObject(metadata) ? { metadata } : {}) }),
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
  const { onPaymentRequiredError, streamingMode, browserTools, onConfirmationRequest } = options;
  const isShown: IsShown = ({ kind, name }) => {
    const components = uiComponents ?? {};
    if (kind === "action" && getAgActionRender(name) !== undefined) return true;
    const fallback =
      kind === "component" ? undefined : (kind === "action" && components.AgActionToolCall) || components.ToolCall;
    const isKnown = (components[name] ?? fallback) !== undefined;
    if (!isKnown && kind === "component")
      logInDevelopment(`The oracle shows "${name}", which uiComponents does not have.`);
    return isKnown;
  };
  const now = {
    ...{ onPaymentRequiredError, streamingMode, browserTools, onConfirmationRequest },
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
    const list = connections.sessionsOf(oracleDid, baseUrl);
    return () => void (list.get().sessions !== undefined && list.load());
  }, [connections, oracleDid, baseUrl, isBusy]);
}
