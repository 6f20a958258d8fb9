import { errorOf } from "./api-error.ts";
import type { OracleClient } from "./client.ts";
import { createSession, deleteSession, listSessions } from "./sessions.ts";
import { Store } from "./store.ts";
import type { IChatSession, RefetchOptions } from "./types.ts";

export type SessionListState = {
  /** Undefined until loaded. */
  sessions: IChatSession[] | undefined;
  /** Number of all sessions. */
  total: number;
  isLoading: boolean;
  isLoadingMore: boolean;
  isCreatingSession: boolean;
  isDeletingSession: boolean;
  error: Error | undefined;
  createSessionError: Error | undefined;
  deleteSessionError: Error | undefined;
};

const unread: SessionListState = {
  sessions: undefined,
  total: 0,
  isLoading: false,
  isLoadingMore: false,
  isCreatingSession: false,
  isDeletingSession: false,
  error: undefined,
  createSessionError: undefined,
  deleteSessionError: undefined,
};

/** The loaded part of the user's sessions with an oracle, newest first. */
export class SessionList extends Store<SessionListState> {
  readonly #client: OracleClient;
  readonly #pageSize: number;
  #loading: Promise<void> | undefined;

  /** @param pageSize number of sessions per request */
  constructor(client: OracleClient, pageSize = 20) {
    super(unread);
    this.#client = client;
    this.#pageSize = pageSize;
  }

  /** Read the list unless it is loaded or loading. */
  readonly ensure = async (): Promise<void> => {
    if (this.get().sessions === undefined) await (this.#loading ?? this.load());
  };

  /** Read all loaded sessions again. */
  readonly load = (): Promise<void> => {
    const limit = Math.min(Math.max(this.get().sessions?.length ?? 0, this.#pageSize), 100);
    const loading = this.#read("isLoading", async () => {
      const { sessions, total } = await listSessions(this.#client, { limit });
      this.set({ sessions, total });
    });
    this.#loading = loading.finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  };

  /** Read the next page. */
  readonly loadMore = (): Promise<void> =>
    this.#read("isLoadingMore", async () => {
      const known = this.get().sessions ?? [];
      const { sessions, total } = await listSessions(this.#client, { limit: this.#pageSize, offset: known.length });
      // New sessions shift the pages, so a page may repeat known sessions.
      const ids = new Set(known.map(({ sessionId }) => sessionId));
      this.set({ sessions: [...known, ...sessions.filter(({ sessionId }) => !ids.has(sessionId))], total });
    });

  /** @throws ApiError */
  readonly create = async (options: { title?: string } = {}): Promise<IChatSession> => {
    this.set({ isCreatingSession: true, createSessionError: undefined });
    try {
      const session = await createSession(this.#client, options);
      const { sessions = [], total } = this.get();
      this.set({ sessions: [session, ...sessions], total: total + 1 });
      return session;
    } catch (thrown) {
      this.set({ createSessionError: errorOf(thrown) });
      throw thrown;
    } finally {
      this.set({ isCreatingSession: false });
    }
  };

  /** @throws ApiError */
  readonly remove = async (sessionId: string): Promise<void> => {
    this.set({ isDeletingSession: true, deleteSessionError: undefined });
    try {
      await deleteSession(this.#client, sessionId);
      const { sessions = [], total } = this.get();
      this.set({ sessions: sessions.filter((each) => each.sessionId !== sessionId), total: Math.max(0, total - 1) });
    } catch (thrown) {
      this.set({ deleteSessionError: errorOf(thrown) });
      throw thrown;
    } finally {
      this.set({ isDeletingSession: false });
    }
  };

  async #read(flag: "isLoading" | "isLoadingMore", read: () => Promise<void>): Promise<void> {
    this.set({ [flag]: true });
    try {
      await read();
      this.set({ error: undefined });
    } catch (thrown) {
      this.set({ error: errorOf(thrown) });
    } finally {
      this.set({ [flag]: false });
    }
  }
}

const none: IChatSession[] = [];

/**
 * Describe a list for an app.
 * @param state undefined while the oracle's URL is unknown
 * @param urlError why it could not be found
 */
export function sessionListView(state: SessionListState = unread, urlError: Error | undefined) {
  const { sessions = none, total, isLoadingMore, createSessionError, deleteSessionError } = state;
  const error = state.error ?? urlError;
  const hasMore = sessions.length < total;
  return {
    ...state,
    sessions,
    error,
    isLoading: state.isLoading || (state.sessions === undefined && error === undefined),
    hasMore,
    hasNextPage: hasMore,
    isFetchingNextPage: isLoadingMore,
    isCreateSessionError: createSessionError !== undefined,
    isDeleteSessionError: deleteSessionError !== undefined,
  };
}

/** Bind the functions of a list that may not exist yet. Those that change it throw until it does. */
export function sessionListMethods(list: SessionList | undefined, cause: Error | undefined) {
  const known = (): SessionList => {
    if (list === undefined) throw new Error("The oracle's address is not known yet.", { cause });
    return list;
  };
  const finish = async (read: Promise<void> | undefined, { throwOnError = false }: RefetchOptions = {}) => {
    await read;
    const error = list?.get().error ?? cause;
    if (throwOnError && error !== undefined) throw error;
  };
  return {
    // A click handler passes its event, which is not a title.
    createSession: async ({ title }: { title?: string } = {}) =>
      await known().create(typeof title === "string" ? { title } : {}),
    deleteSession: async (sessionId: string) => await known().remove(sessionId),
    refetch: async (options?: RefetchOptions) => await finish(list?.load(), options),
    loadMore: async () => await list?.loadMore(),
    fetchNextPage: async (options?: RefetchOptions) => await finish(list?.loadMore(), options),
  };
}
