import type { Chat } from "./chat.ts";
import type { ChatState } from "./chat-state.ts";
import type { Connections } from "./connections.ts";
import type { SendOptions } from "./messages.ts";
import type { IAttachment, JsonObject, RefetchOptions, Wallet } from "./types.ts";

export type ChatAddress = { oracleDid: string; baseUrl: string | undefined; wsUrl: string | undefined };

/**
 * Connect a chat to its oracle.
 * @returns a function that disconnects; undefined while there is no session or its URLs are unknown
 */
export function connectChat(
  chat: Chat,
  connections: Connections,
  { oracleDid, baseUrl, wsUrl }: ChatAddress,
): (() => void) | undefined {
  const { sessionId } = chat;
  if (baseUrl === undefined || wsUrl === undefined || sessionId === "") return undefined;
  const channel = connections.channelOf({ oracleDid, sessionId, url: wsUrl });
  const disconnect = chat.connect({ client: connections.clientOf(oracleDid, baseUrl), channel });
  return () => {
    disconnect();
    channel.close();
  };
}

/** Bind the methods that an app calls. */
export function chatMethods(chat: Chat) {
  return {
    sendMessage: (message: string, metadata?: JsonObject, more: IAttachment[] | SendOptions = {}): Promise<void> => {
      const options = Array.isArray(more) ? { attachments: more } : more;
      return chat.send(message, { ...options, ...(isPlainObject(metadata) ? { metadata } : {}) });
    },
    loadEarlier: (): Promise<void> => chat.loadEarlier(),
    abortStream: (): Promise<void> => chat.abort(),
    refetchMessages: (options?: RefetchOptions) => chat.refetch(options),
  };
}

/** `form.submit(sendMessage)` passes an event where metadata is expected. */
function isPlainObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

export const isBusy = ({ status }: ChatState): boolean => status === "submitted" || status === "streaming";

/** Reload the session lists that are on screen: the oracle titles a session after its first messages. */
export function reloadSessionLists(connections: Connections, oracleDid: string, baseUrl: string): void {
  for (const list of connections.sessionListsOf(oracleDid, baseUrl)) {
    if (list.get().sessions !== undefined) void list.load();
  }
}

export function matrixHeadersOf({ matrix }: Wallet): Record<string, string> {
  return { "x-matrix-access-token": matrix.accessToken, "x-matrix-homeserver": matrix.homeServer };
}
