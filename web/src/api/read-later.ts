import { queryClient } from "./query-client.ts";

/** When to read the index again after a write, in milliseconds: it may be some blocks behind. */
const pausesMs = [0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000];

/**
 * Read again, several times, what the console shows from the index.
 * @param areas first parts of the query keys
 * @returns a function that ends it
 */
export function readLater(areas: readonly string[]): () => void {
  const read = () => {
    for (const area of areas) void queryClient.invalidateQueries({ queryKey: [area] });
  };
  const timers = pausesMs.map((pause) => setTimeout(read, pause));
  return () => {
    for (const timer of timers) clearTimeout(timer);
  };
}
