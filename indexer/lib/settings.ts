import { resolve } from "node:path";

/** Where the indexer reads from, writes to and listens. */
export type IndexerSettings = {
  rpcUrl: string;
  /** Where the chain tells of its blocks over a WebSocket; without it they are looked for. */
  rpcSocketUrl?: string;
  chainId: number;
  /** Path of the deployment file. */
  deployment: string;
  /** Folder of everything that the indexer keeps on this machine. */
  folder: string;
  /** PostgreSQL; without it PGlite in the folder. */
  databaseUrl?: string;
  /** The same database for the role that strangers' statements run with; without it the indexer makes that role. */
  readerUrl?: string;
  host: string;
  port: number;
  /** Whoever sends it as `?token=` (the API) is neither rate limited nor held to cheap SQL. */
  token?: string;
  /** Public requests a minute for each address. */
  requestsPerMinute: number;
  /** Longest that a stranger's question may take, and in PostgreSQL any statement of the API, milliseconds. */
  statementMs?: number;
};

const longestStatementMs = 10_000;

const required = (env: NodeJS.ProcessEnv, name: string): string => {
  const value = env[name];
  if (value === undefined || value === "") throw new Error(`${name} is not set`);
  return value;
};

/** Read the settings from the environment. Throws an Error that names what is missing. */
export function settingsFrom(env: NodeJS.ProcessEnv): IndexerSettings {
  return {
    rpcUrl: required(env, "RPC_URL"),
    ...(env.RPC_SOCKET_URL ? { rpcSocketUrl: env.RPC_SOCKET_URL } : {}),
    chainId: Number(required(env, "CHAIN_ID")),
    deployment: resolve(required(env, "DEPLOYMENT")),
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
