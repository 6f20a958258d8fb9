import { useCallback, useEffect } from "react";
import type { SessionListState } from "../core/session-list.ts";
import type { IChatSession, Overrides } from "../core/types.ts";
import { useOraclesContext } from "./context.tsx";
import { useOracleUrls } from "./use-oracles-config.ts";
import { useMaybeStore } from "./use-store.ts";

export type UseOracleSessionsReturn = Omit<SessionListState, "sessions"> & {
  /** Newest first, as far as they have been read. */
  sessions: IChatSession[];
  /** Begin a session. @throws ApiError */
  createSession: (options?: { title?: string }) => Promise<IChatSession>;
  /** Delete a session with its messages. @throws ApiError */
  deleteSession: (sessionId: string) => Promise<void>;
  refetch: () => Promise<void>;
  /** There are sessions that have not been read. */
  hasMore: boolean;
  /** Read the next page. */
  loadMore: () => Promise<void>;
  /** The same as `hasMore`. */
  hasNextPage: boolean;
  /** The same as `loadMore`. */
  fetchNextPage: () => Promise<void>;
  /** The same as `isLoadingMore`. */
  isFetchingNextPage: boolean;
  isCreateSessionError: boolean;
  isDeleteSessionError: boolean;
  /** The oracle's address is known. */
  isConfigReady: boolean;
};

const none: IChatSession[] = [];
const nothing: SessionListState = {
  ...{ sessions: undefined, total: 0, isLoading: false, isLoadingMore: false },
  ...{ isCreatingSession: false, isDeletingSession: false },
  ...{ error: undefined, createSessionError: undefined, deleteSessionError: undefined },
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
  const state = useMaybeStore(list) ?? nothing;
  useEffect(() => void list?.ensure(), [list]);
  const createSession = useCallback(
    // A click's event is no title.
    async (options?: { title?: string }) => {
      const title = options?.title;
      return await listOf(list, error).create(typeof title === "string" ? { title } : {});
    },
    [list, error],
  );
  const deleteSession = useCallback(async (id: string) => await listOf(list, error).remove(id), [list, error]);
  const refetch = useCallback(async () => await list?.load(), [list]);
  const loadMore = useCallback(async () => await list?.loadMore(), [list]);
  const hasMore = (state.sessions?.length ?? 0) < state.total;
  const isUnread = state.sessions === undefined && (state.error ?? error) === undefined;
  return {
    ...{
      ...state,
      sessions: state.sessions ?? none,
      error: state.error ?? error,
      isLoading: state.isLoading || isUnread,
    },
    ...{ createSession, deleteSession, refetch, loadMore, hasMore, isConfigReady },
    ...{ fetchNextPage: loadMore, hasNextPage: hasMore, isFetchingNextPage: state.isLoadingMore },
    isCreateSessionError: state.createSessionError !== undefined,
    isDeleteSessionError: state.deleteSessionError !== undefined,
  };
}

function listOf<T>(list: T | undefined, cause: Error | undefined): T {
  if (list === undefined) throw new Error("The oracle's address is not known yet.", { cause });
  return list;
}
