// npm run api: one API process. Any number of them may share one PostgreSQL, one bucket and one chain.
import { pathToFileURL } from "node:url";
import { buildApi } from "./build-api.ts";
import { readOptions } from "./command-options.ts";

readOptions(
  `npm run api     one API process, until SIGTERM. It takes no options: docs/configuration.md lists its variables.
Processes that share DATABASE_URL need the same RPC_URL, CHAIN_ID, DEPLOYMENT, SCHEME_KEY, SERVICE_KEY, VFS_KEK and BLOB_URL.
On a public chain, RPC_URL may list several nodes, separated by commas. MAX_FEE_GWEI, MAX_PRIORITY_FEE_GWEI and
GAS_BUDGET_ETHER_PER_DAY limit what the service pays, and CONFIRMATIONS sets when a write is answered.`,
  {},
);
await import(pathToFileURL(await buildApi()).href);
