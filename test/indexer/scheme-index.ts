import { join } from "node:path";
import type { Deps } from "../../api/compose.ts";
import { IndexerClient } from "../../api/platform/indexer/client.ts";
import type { TestWorld } from "../support/chain.ts";
import { type Indexer, startIndexerOn } from "./ponder-process.ts";

/**
 * Start an index of a test scheme, and let the scheme's services read it. The chain then mines seldom, because each block costs the
 * indexer some hundredths of a second of processor time.
 * @param options `port`: the INDEXER_PORT that the API was opened with, so that its routes of the index work too
 */
export async function startSchemeIndex(
  { world, deps }: { world: TestWorld; deps: Deps },
  options: { port?: number } = {},
): Promise<Indexer> {
  const { dataDir, anvil } = world;
  await anvil.resumeMining(0.2);
  const source = { anvil, deployment: join(dataDir, "deployments", "31337.json") };
  const indexer = await startIndexerOn(
    source as Parameters<typeof startIndexerOn>[0],
    join(dataDir, "indexer"),
    options,
  );
  const lastWritten = () => Number(deps.chain.head.latest?.number ?? 0n);
  deps.indexer = new IndexerClient({ url: indexer.url, token: "a token of the tests", log: deps.log, lastWritten });
  return indexer;
}
