import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import type { Rows } from "../table/rows.ts";
import type { Page } from "./file-types.ts";

/** Rows of a list that is read page by page, as far as somebody scrolls. */
export function pagedRows<Row>(list: UseInfiniteQueryResult<InfiniteData<Page<Row>>>): Rows<Row> {
  const items = list.data?.pages.flatMap((page) => page.items) ?? [];
  return {
    // One more place than there are rows: the next page is fetched when it comes into sight.
    total: list.data === undefined ? undefined : items.length + (list.hasNextPage ? 1 : 0),
    at: (index) => items[index],
    show: (_from, to) => {
      if (to > items.length && list.hasNextPage && !list.isFetchingNextPage) void list.fetchNextPage();
    },
    error: list.error,
    retry: () => void list.refetch(),
  };
}
