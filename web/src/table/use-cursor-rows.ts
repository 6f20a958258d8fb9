import { type QueryKey, useQueries, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import { request } from "../api/request.ts";
import { firstPages, knownRows, learn, pageAt } from "./cursor-pages.ts";
import { ahead, sameSpan } from "./page-span.ts";
import type { Rows } from "./rows.ts";

type Page<Row> = { items: Row[]; nextCursor: string | null };

export type CursorSource = {
  queryKey: QueryKey;
  /** A list of the API that answers `{items, nextCursor}`. */
  path: string;
  query?: Record<string, string | undefined>;
  pageSize?: number;
};

/** Pages out of sight are let go after so long; their cursors are kept, so that each can be read again. */
const keptMs = 60_000;

/** Rows of a list that is read from its beginning, page by page, as far as somebody scrolls. */
export function useCursorRows<Row>({ queryKey, path, query = {}, pageSize = 100 }: CursorSource): Rows<Row> {
  const client = useQueryClient();
  const list = JSON.stringify([queryKey, query]);
  const [known, setKnown] = useState({ list, pages: firstPages });
  const pages = known.list === list ? known.pages : firstPages;
  const [span, setSpan] = useState({ first: 0, last: 0 });
  const keyOf = (index: number) => [...queryKey, query, pages[index]?.cursor ?? ""];
  const last = Math.min(span.last, pages.length - 1);
  const first = Math.min(span.first, last);
  const answers = useQueries({
    queries: pages.slice(first, last + 1).map(({ cursor }, index) => ({
      queryKey: keyOf(first + index),
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        request<Page<Row>>("GET", path, { query: { ...query, limit: pageSize, cursor }, signal }),
      gcTime: keptMs,
    })),
  });
  useEffect(() => {
    const learned = answers.reduce(
      (told, { data }, index) =>
        data === undefined
          ? told
          : learn(told, first + index, { length: data.items.length, nextCursor: data.nextCursor }),
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
      const page = pageAt(pages, index);
      return pageOf(page)?.items[index - (pages[page]?.start ?? 0)];
    },
    show,
    error: failed[0]?.error ?? null,
    retry: () => failed.forEach((answer) => void answer.refetch()),
  };
}
