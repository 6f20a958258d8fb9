export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/** Configuration that the platform and the scheme read. */
export type PlatformConfig = {
  host: string;
  /**
   * True when only this machine can reach the system, and chain, database and indexer run with it: a trial by one person.
   */
  isOwnMachine: boolean;
  port: number;
  /** Base URL of this server for clients, without a slash at the end. */
  publicUrl: string;
  /** Other base URLs that clients may use. A client's proof of possession (DPoP) names the one that it uses. */
  publicAliases: string[];
  /** Absolute path of the folder that holds all persistent data. */
  dataDir: string;
  logLevel: LogLevel;
  /** Free bytes of the disk of `dataDir` below which the API is read-only. 0: nothing of this server is stored on that disk. */
  minFreeBytes: number;
  /** URL of PostgreSQL; undefined: PGlite in `dataDir`/api-db. */
  databaseUrl: string | undefined;
  /** Seed of the service's Ed25519 key, 64 hexadecimal digits; undefined: created at the first start in `dataDir`/keys. */
  serviceKey: string | undefined;
  /** Seed of the key that signs in place of the service key, 64 hexadecimal digits. */
  signingKey: string | undefined;
  /** Former signing keys, whose signatures must still verify. */
  previousSigningKeys: `did:key:${string}`[];
  /**
   * Keys that seal secrets in the database, 64 hexadecimal digits each: the current one, and those that only open. Undefined: the keys
   * in `dataDir`/keys, or the scheme key.
   */
  sealing: { current: string | undefined; previous: string[] };
  /** ADMIN_API_KEY; undefined: one is created at the first start. */
  adminApiKey: string | undefined;
  chain: {
    /** True for the chain that `npm start` runs; false when RPC_URL names another one. */
    embedded: boolean;
    rpcUrl: string;
    /** URLs of all nodes of the chain; `rpcUrl` is the first. The next one is asked when one does not answer. */
    rpcUrls: string[];
    chainId: number;
    /** Path of the deployment file. */
    deployment: string;
    /** Private keys of the roles' accounts. Undefined: the file in `dataDir`/keys; the embedded chain's first start creates it. */
    roleKeys: Record<"operator" | "registrar" | "evaluator", `0x${string}` | undefined>;
    /** Signers outside this process that hold the keys of the roles' accounts instead. */
    roleSigners: Record<"operator" | "registrar" | "evaluator", string | undefined>;
    /** HMAC key of household hashes, 64 hexadecimal digits; undefined: created at the first start in `dataDir`/keys. */
    schemeKey: string | undefined;
    /** Longest time that a write waits for its receipt before it returns 202, in milliseconds. */
    txWaitMs: number;
    /** Most that a transaction offers for a unit of gas, and most of its priority fee, in gwei as decimal text. */
    maxFeeGwei: string;
    maxPriorityFeeGwei: string;
    /** Age at which the fee of a transaction that is in no block is raised, in milliseconds. */
    raiseFeeAfterMs: number;
    /** Blocks, the transaction's included, after which a write is answered. */
    confirmations: number;
    /** Most that the service's accounts may pay for gas in 24 hours, in ether as decimal text; undefined: no limit. */
    gasBudgetEther: string | undefined;
  };
  indexer: { url: string; port: number; databaseUrl: string | undefined; token: string | undefined };
  /** Chains, in addition to the scheme's, whose did:ethr identities may issue credentials. */
  ethrNetworks: { chainId: number; rpcUrl: string; registry: `0x${string}`; name?: string | undefined }[];
  /** A public randomness beacon (drand) that takes part in draws: its URL, which ends with the hash of its chain; undefined: none. */
  drawBeaconUrl: string | undefined;
  /** The mail server and the sender of notifications; undefined: no e-mail is sent. */
  mail: { smtpUrl: string; from: string } | undefined;
  /** True when traces are sent to OTEL_EXPORTER_OTLP_ENDPOINT. */
  sendsTraces: boolean;
  /** Default limit of requests a minute for a key. */
  requestsPerMinute: number;
  /** True when a reverse proxy in front of this server sets X-Forwarded-For. */
  trustProxy: boolean;
  /** Limits of requests a minute for one bearer of a file token, and of writes a minute for one address. */
  files: { requestsPerMinute: number; writesPerMinute: number | undefined };
};
