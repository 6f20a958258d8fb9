"use client";

import { useEffect, useMemo } from "react";
import { type SessionListState, sessionListMethods, sessionListView } from "../core/session-list.ts";
import type { IChatSession, Overrides, RefetchOptions } from "../core/types.ts";
import { useOraclesContext } from "./context.tsx";
import { useOracleUrls } from "./use-oracles-config.ts";
import { useMaybeStore } from "./use-store.ts";

export type UseOracleSessionsReturn = Omit<SessionListState, "sessions"> & {
  /** The loaded sessions, newest first. */
  sessions: IChatSession[];
  /** Creates a session. @throws ApiError */
  createSession: (options?: { title?: string }) => Promise<IChatSession>;
  /** Deletes a session and its messages. @throws ApiError */
  deleteSession: (sessionId: string) => Promise<void>;
  refetch: (options?: RefetchOptions) => Promise<void>;
  /** Whether there are more sessions to load. */
  hasMore: boolean;
  /** Loads the next page. */
  loadMore: () => Promise<void>;
  /** The same as `hasMore`. */
  hasNextPage: boolean;
  /** The same as `loadMore`, with options. */
  fetchNextPage: (options?: RefetchOptions) => Promise<void>;
  /** The same as `isLoadingMore`. */
  isFetchingNextPage: boolean;
  isCreateSessionError: boolean;
  isDeleteSessionError: boolean;
  /** The oracle's API URL is known. */
  isConfigReady: boolean;
};

/**
 * List, create and delete the user's sessions with an oracle, newest first.
 * @param overrides URLs to use instead of the registered ones; `limit` is the page size, 20 by default
 * @throws Error outside an OraclesProvider
 * @example
 * ```tsx
 * import { useOracleSessions } from "@hearth/oracles-client-sdk";
 *
 * export function SessionList({ oracleDid }: { oracleDid: string }) {
 *   const { sessions, createSession, deleteSession, hasMore, loadMore } = useOracleSessions(oracleDid);
 *   return (
 *     <ul>
 *       <button onClick={() => createSession({ title: "Stoves" })}>New session</button>
 *       {sessions.map(({ sessionId, title }) => (
 *         <li key={sessionId} onDoubleClick={() => deleteSession(sessionId)}>
 *           {title}
 *         </li>
 *       ))}
 *       {hasMore && <button onClick={loadMore}>More</button>}
 *     </ul>
 *   );
 * }
 * ```
 */
export function useOracleSessions(
  oracleDid: string,
  overrides: Overrides & { limit?: number | undefined } = {},
): UseOracleSessionsReturn {
  const { connections } = useOraclesContext();
  const { baseUrl, isReady: isConfigReady, error } = useOracleUrls(oracleDid, overrides);
  const list = baseUrl === undefined ? undefined : connections.sessionsOf(oracleDid, baseUrl, overrides.limit);
  const state = useMaybeStore(list);
  useEffect(() => void list?.ensure(), [list]);
  const methods = useMemo(() => sessionListMethods(list, error), [list, error]);
  return { ...sessionListView(state, error), ...methods, isConfigReady };
}
