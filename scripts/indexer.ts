// npm run indexer: one indexer process. Those that share a PostgreSQL elect one that writes.
import { runIndexer } from "../indexer/start.ts";
import { readOptions } from "./command-options.ts";

readOptions(
  `npm run indexer     one indexer process, until SIGTERM. It takes no options: docs/configuration.md lists its variables.
It needs RPC_URL, CHAIN_ID and DEPLOYMENT. Those that share INDEXER_DATABASE_URL may run on several machines: one of them writes.`,
  {},
);
await runIndexer();
