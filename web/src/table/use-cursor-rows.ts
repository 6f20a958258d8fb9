import { type QueryKey, useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { request } from "../api/request.ts";
import type { Rows } from "./rows.ts";

type Page<Row> = { items: Row[]; nextCursor: string | null };

export type CursorSource = {
  queryKey: QueryKey;
  /** A list of the API that answers `{items, nextCursor}`. */
  path: string;
  query?: Record<string, string | undefined>;
  pageSize?: number;
};

/** Rows of a list that is read from its beginning, page by page, as far as somebody scrolls. */
export function useCursorRows<Row>({ queryKey, path, query = {}, pageSize = 100 }: CursorSource): Rows<Row> {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: [...queryKey, query],
    queryFn: ({ pageParam, signal }) =>
      request<Page<Row>>("GET", path, { query: { ...query, limit: pageSize, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  const items = useMemo(() => data?.pages.flatMap((page) => page.items) ?? [], [data]);
  const loaded = items.length;
  const show = useCallback(
    (_from: number, to: number) => {
      if (to >= loaded && hasNextPage && !isFetchingNextPage) void fetchNextPage();
    },
    [loaded, hasNextPage, isFetchingNextPage, fetchNextPage],
  );
  return {
    // One more place than there are rows: the next page is fetched when it comes into sight.
    total: data === undefined ? undefined : loaded + (hasNextPage ? 1 : 0),
    at: (index) => items[index],
    show,
    error,
    retry: () => void refetch(),
  };
}
