import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, type QueryKey, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { sameSpan, spanOf } from "./page-span.ts";
import type { Rows } from "./rows.ts";

export type OffsetSource<Row> = {
  queryKey: QueryKey;
  count: (signal: AbortSignal) => Promise<number>;
  page: (offset: number, limit: number, signal: AbortSignal) => Promise<Row[]>;
};

const pageSize = 100;
/** Rows of a request for a download; the index returns at most 1000. */
const exportSize = 1_000;
/** How long a page must stay in view before it is requested, in milliseconds. */
const settleMs = 80;
/** How long pages out of view stay cached, in milliseconds. */
const keptMs = 60_000;

/** Rows of a source with random access: only the pages in view are fetched, whatever the number of rows. */
export function useOffsetRows<Row>({ queryKey, count, page }: OffsetSource<Row>): Rows<Row> {
  const client = useQueryClient();
  const [span, setSpan] = useState({ first: 0, last: 0 });
  const [{ first, last }] = useDebouncedValue(span, settleMs);
  const keyOf = (index: number) => [...queryKey, "page", index];
  // Request the pages before the count, which may be slower.
  const pages = useQueries({
    queries: Array.from({ length: last - first + 1 }, (_, index) => ({
      queryKey: keyOf(first + index),
      queryFn: ({ signal }: { signal: AbortSignal }) => page((first + index) * pageSize, pageSize, signal),
      gcTime: keptMs,
    })),
  });
  const total = useQuery({
    queryKey: [...queryKey, "count"],
    queryFn: ({ signal }) => count(signal),
    placeholderData: keepPreviousData,
  });
  const show = useCallback(
    (from: number, to: number) => setSpan((was) => sameSpan(was, spanOf(from, to, pageSize))),
    [],
  );
  const rowsOf = (index: number) =>
    index >= first && index <= last ? pages[index - first]?.data : client.getQueryData<Row[]>(keyOf(index));
  const failed = [...pages, total].filter(({ error }) => error !== null);
  return {
    total: total.data,
    list: JSON.stringify(queryKey),
    at: (index) => rowsOf(Math.floor(index / pageSize))?.[index % pageSize],
    show,
    pages: async function* (signal) {
      for (let offset = 0; ; offset += exportSize) {
        const rows = await page(offset, exportSize, signal);
        yield rows;
        if (rows.length < exportSize) return;
      }
    },
    error: failed[0]?.error ?? null,
    retry: () => failed.forEach((query) => void query.refetch()),
  };
}
