import type { Gauges } from "../gauges.ts";
import type { IndexerClient } from "./client.ts";

/** Show how far the index is behind the chain. */
export function addIndexerGauges(
  gauges: Gauges,
  indexer: IndexerClient,
  latest: () => Promise<{ number: bigint }>,
): void {
  gauges.add({
    group: "indexer",
    gauges: { indexer_lag_blocks: "Blocks of the chain that are not indexed yet." },
    read: async () => {
      const [reached, head] = await Promise.all([indexer.reachedBlock(), latest()]);
      return { indexer_lag_blocks: Math.max(0, Number(head.number) - reached) };
    },
  });
}
