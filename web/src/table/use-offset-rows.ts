import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, type QueryKey, useQueries, useQuery } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import type { Rows } from "./rows.ts";

export type OffsetSource<Row> = {
  queryKey: QueryKey;
  count: (signal: AbortSignal) => Promise<number>;
  page: (offset: number, limit: number, signal: AbortSignal) => Promise<Row[]>;
};

const pageSize = 100;
/** Pages that are only scrolled past are not asked for. */
const settleMs = 80;

/** Rows of a source that can begin anywhere: only the pages in sight are fetched, however many rows there are. */
export function useOffsetRows<Row>({ queryKey, count, page }: OffsetSource<Row>): Rows<Row> {
  const [range, setRange] = useState({ from: 0, to: pageSize });
  const [settled] = useDebouncedValue(range, settleMs);
  const total = useQuery({
    queryKey: [...queryKey, "count"],
    queryFn: ({ signal }) => count(signal),
    placeholderData: keepPreviousData,
  });
  const first = Math.floor(settled.from / pageSize);
  const last = Math.max(first, Math.floor(Math.max(settled.to - 1, 0) / pageSize));
  const pages = useQueries({
    queries: Array.from({ length: last - first + 1 }, (_, index) => ({
      queryKey: [...queryKey, "page", first + index],
      queryFn: ({ signal }: { signal: AbortSignal }) => page((first + index) * pageSize, pageSize, signal),
      gcTime: 60_000,
    })),
  });
  const show = useCallback(
    (from: number, to: number) => setRange((now) => (now.from === from && now.to === to ? now : { from, to })),
    [],
  );
  const failed = [total, ...pages].filter(({ error }) => error !== null);
  return {
    total: total.data,
    at: (index) => pages[Math.floor(index / pageSize) - first]?.data?.[index % pageSize],
    show,
    error: failed[0]?.error ?? null,
    retry: () => failed.forEach((query) => void query.refetch()),
  };
}
