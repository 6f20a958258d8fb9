import { type QueryKey, useQueries, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import { firstPages, knownRows, learn, pageAt } from "./cursor-pages.ts";
import { ahead, sameSpan } from "./page-span.ts";
import type { Rows } from "./rows.ts";

type Page<Row> = { items: Row[]; nextCursor?: string | null };

export type CursorSource<Row> = {
  /** Names the list and its filters. */
  queryKey: QueryKey;
  /** Reads a page; without a cursor, the first. */
  page: (at: { limit: number; cursor?: string }, signal: AbortSignal) => Promise<Page<Row>>;
  pageSize?: number;
  /** How long a page is used without being read again, in milliseconds. */
  staleTime?: number;
  /** Interval at which the shown pages are read again, in milliseconds. */
  refreshMs?: number;
};

/** Rows of a request for a download; the API's lists return at most 500. */
const exportSize = 500;

/** How long pages out of view stay cached, in milliseconds. Their cursors are kept, so they can be read again. */
const keptMs = 60_000;

/** Rows of a list with cursors, read page by page while the user scrolls. */
export function useCursorRows<Row>({
  queryKey,
  page,
  pageSize = 100,
  staleTime,
  refreshMs,
}: CursorSource<Row>): Rows<Row> {
  const client = useQueryClient();
  const list = JSON.stringify(queryKey);
  const [known, setKnown] = useState({ list, pages: firstPages });
  const pages = known.list === list ? known.pages : firstPages;
  const [span, setSpan] = useState({ first: 0, last: 0 });
  const keyOf = (index: number) => [...queryKey, "page", pages[index]?.cursor ?? ""];
  const last = Math.min(span.last, pages.length - 1);
  const first = Math.min(span.first, last);
  const answers = useQueries({
    queries: pages.slice(first, last + 1).map(({ cursor }, index) => ({
      queryKey: keyOf(first + index),
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        page({ limit: pageSize, ...(cursor === undefined ? {} : { cursor }) }, signal),
      gcTime: keptMs,
      ...(staleTime === undefined ? {} : { staleTime }),
      ...(refreshMs === undefined ? {} : { refetchInterval: refreshMs }),
    })),
  });
  useEffect(() => {
    const learned = answers.reduce(
      (told, { data }, index) =>
        data === undefined
          ? told
          : learn(told, first + index, { length: data.items.length, nextCursor: data.nextCursor ?? null }),
      pages,
    );
    if (learned !== pages || known.list !== list) setKnown({ list, pages: learned });
  });
  const show = useCallback(
    (from: number, to: number) =>
      setSpan((was) =>
        sameSpan(was, { first: pageAt(pages, Math.max(0, from - ahead)), last: pageAt(pages, to + ahead) }),
      ),
    [pages],
  );
  const pageOf = (index: number) =>
    index >= first && index <= last ? answers[index - first]?.data : client.getQueryData<Page<Row>>(keyOf(index));
  const { count, isAll } = knownRows(pages);
  const failed = answers.filter(({ error }) => error !== null);
  return {
    total: count === 0 && !isAll ? undefined : count,
    hasMore: !isAll,
    list,
    at: (index) => {
      const place = pageAt(pages, index);
      return pageOf(place)?.items[index - (pages[place]?.start ?? 0)];
    },
    show,
    pages: async function* (signal) {
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const answer: Page<Row> = await page(
          { limit: exportSize, ...(cursor === undefined ? {} : { cursor }) },
          signal,
        );
        yield answer.items;
        cursor = answer.nextCursor ?? null;
      }
    },
    error: failed[0]?.error ?? null,
    retry: () => failed.forEach((answer) => void answer.refetch()),
  };
}
