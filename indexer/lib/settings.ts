import { resolve } from "node:path";
import { fallback, http, type Transport } from "viem";

/** The indexer's settings. */
export type IndexerSettings = {
  /** URL of a node of the chain, or several, separated by commas. */
  rpcUrl: string;
  /** WebSocket URL of the chain for new blocks; without it they are polled. */
  rpcSocketUrl?: string;
  chainId: number;
  /** Path of the deployment file. */
  deployment: string;
  /** Folder of the indexer's data on this machine. */
  folder: string;
  /** PostgreSQL; without it PGlite in the folder. */
  databaseUrl?: string;
  /** The same database for the role that runs anonymous statements; without it the indexer creates that role. */
  readerUrl?: string;
  host: string;
  port: number;
  /** Shared secret of the API: requests with it as `?token=` are not rate limited and may run expensive SQL. */
  token?: string;
  /** Anonymous requests per minute of one address. */
  requestsPerMinute: number;
  /** Time limit of an anonymous query, and in PostgreSQL of any statement of the API, in milliseconds. */
  statementMs?: number;
};

const longestStatementMs = 10_000;

/** Read the settings from the environment. Throws an Error that names every variable that is missing. */
export function settingsFrom(env: NodeJS.ProcessEnv): IndexerSettings {
  const { RPC_URL: rpcUrl, CHAIN_ID: chainId, DEPLOYMENT: deployment } = env;
  if (!rpcUrl || !chainId || !deployment) {
    const missing = Object.entries({ RPC_URL: rpcUrl, CHAIN_ID: chainId, DEPLOYMENT: deployment });
    const names = missing.flatMap(([name, value]) => (value ? [] : [name]));
    throw new Error(`The indexer needs ${names.join(", ")}.`);
  }
  return {
    rpcUrl,
    ...(env.RPC_SOCKET_URL ? { rpcSocketUrl: env.RPC_SOCKET_URL } : {}),
    chainId: Number(chainId),
    deployment: resolve(deployment),
    folder: resolve(env.INDEXER_DIR ?? `${env.DATA_DIR ?? ".hearth"}/indexer`),
    ...(env.INDEXER_DATABASE_URL ? { databaseUrl: env.INDEXER_DATABASE_URL } : {}),
    ...(env.INDEXER_READER_DATABASE_URL ? { readerUrl: env.INDEXER_READER_DATABASE_URL } : {}),
    host: env.HOST ?? "127.0.0.1",
    port: Number(env.INDEXER_PORT ?? 42069),
    ...(env.INDEXER_TOKEN ? { token: env.INDEXER_TOKEN } : {}),
    requestsPerMinute: Number(env.INDEXER_REQUESTS_PER_MINUTE ?? 600),
    statementMs: Number(env.INDEXER_STATEMENT_MS ?? longestStatementMs),
  };
}

/** The URLs of the chain's nodes. */
export const nodesOf = ({ rpcUrl }: Pick<IndexerSettings, "rpcUrl">): string[] =>
  rpcUrl.split(",").map((url) => url.trim());

/** Transport to the chain: each request goes to the first node that answers. */
export const transportOf = (settings: Pick<IndexerSettings, "rpcUrl">): Transport =>
  fallback(nodesOf(settings).map((url) => http(url, { timeout: 20_000, retryCount: 1 })));

/** The same settings as the environment of Ponder's own process. */
export function environmentOf(settings: IndexerSettings): Record<string, string> {
  return {
    RPC_URL: settings.rpcUrl,
    ...(settings.rpcSocketUrl ? { RPC_SOCKET_URL: settings.rpcSocketUrl } : {}),
    CHAIN_ID: String(settings.chainId),
    DEPLOYMENT: settings.deployment,
    INDEXER_DIR: settings.folder,
    HOST: settings.host,
    INDEXER_PORT: String(settings.port),
    INDEXER_REQUESTS_PER_MINUTE: String(settings.requestsPerMinute),
    ...(settings.statementMs ? { INDEXER_STATEMENT_MS: String(settings.statementMs) } : {}),
    ...(settings.databaseUrl ? { INDEXER_DATABASE_URL: settings.databaseUrl } : {}),
    ...(settings.readerUrl ? { INDEXER_READER_DATABASE_URL: settings.readerUrl } : {}),
    ...(settings.token ? { INDEXER_TOKEN: settings.token } : {}),
    PONDER_TELEMETRY_DISABLED: "true",
  };
}
