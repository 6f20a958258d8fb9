export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/** The part of the configuration that the platform and the scheme read. */
export type PlatformConfig = {
  host: string;
  port: number;
  /** Where clients reach this server; no slash at the end. */
  publicUrl: string;
  /** Other URLs by which clients reach it: their proofs of possession (DPoP) name the one that they use. */
  publicAliases: string[];
  /** Absolute. Everything that persists lies in it. */
  dataDir: string;
  logLevel: LogLevel;
  /** Undefined: PGlite in `dataDir`/api-db. */
  databaseUrl: string | undefined;
  /** Seed of the service's Ed25519 key, 64 hexadecimal digits; undefined: made on first start under `dataDir`/keys. */
  serviceKey: string | undefined;
  /** Seed of the key that signs instead of the service key, 64 hexadecimal digits. */
  signingKey: string | undefined;
  /** Keys that signed before, whose signatures must still verify. */
  previousSigningKeys: `did:key:${string}`[];
  /** The ADMIN_API_KEY variable; undefined means one is made on first start. */
  adminApiKey: string | undefined;
  chain: {
    /** True for the chain that `npm start` runs; false when RPC_URL names an outside one. */
    embedded: boolean;
    rpcUrl: string;
    chainId: number;
    /** Path of the deployment file. */
    deployment: string;
    /** Undefined on the embedded chain: made on first start under `dataDir`/keys. */
    relayerKey: `0x${string}` | undefined;
    /** HMAC key of household hashes, 64 hexadecimal digits; undefined: made on first start under `dataDir`/keys. */
    schemeKey: string | undefined;
    /** How long a write waits for its receipt before it answers 202, in milliseconds. */
    txWaitMs: number;
  };
  indexer: { url: string; port: number; databaseUrl: string | undefined; token: string | undefined };
  /** Chains, beside the scheme's own, whose did:ethr identities may issue credentials. */
  ethrNetworks: { chainId: number; rpcUrl: string; registry: `0x${string}`; name?: string | undefined }[];
  /** Requests a minute of a key that has no limit of its own. */
  requestsPerMinute: number;
  /** True when a reverse proxy in front writes X-Forwarded-For. */
  trustProxy: boolean;
  /** What one bearer of a file token and one address may ask in a minute. */
  files: { requestsPerMinute: number; writesPerMinute: number | undefined };
};
