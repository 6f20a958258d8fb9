import { join, resolve } from "node:path";
import { z } from "zod";
import { indexerSecrets, readSecretFiles } from "../scripts/secret-files.ts";
import {
  type FilesConfig,
  fileVariableProblems,
  fileVariables,
  redactFilesConfig,
  toFilesConfig,
} from "./files/configuration.ts";
import {
  type OracleConfig,
  oracleVariableProblems,
  oracleVariables,
  redactOracleConfig,
  toOracleConfig,
} from "./oracle/configuration.ts";
import { confirmationsOf } from "./platform/chain-finality.ts";
import { logLevels, type PlatformConfig } from "./platform/config.ts";
import { ConfigError } from "./platform/config-error.ts";
import type { RuleDetail } from "./platform/errors.ts";
import { readEd25519Key } from "./platform/identity/index.ts";
import { jsonVariable } from "./platform/json-variable.ts";
import { whyReferenceRefused } from "./platform/signer-references.ts";
import { addressVariable, httpVariable, refuseUrlParts } from "./platform/values/url-parts.ts";

const port = z.coerce.number().int().min(0).max(65_535);
/** An address that is called as it is; its query may hold a key. */
const nodeUrl = httpVariable(["fragment"]);
const listOf = (item: typeof addressVariable) =>
  z
    .string()
    .transform((text) => text.split(",").map((url) => url.trim()))
    .pipe(z.array(item));
const postgresUrl = z.url({ protocol: /^postgres(ql)?$/ }).superRefine(refuseUrlParts(["fragment"], ""));
/** Chains whose did:ethr identities are accepted, besides the scheme's chain. */
const ethrNetworks = jsonVariable.pipe(
  z.array(
    z.strictObject({
      chainId: z.number().int().positive(),
      rpcUrl: nodeUrl,
      registry: z
        .string()
        .regex(/^0x[0-9a-fA-F]{40}$/)
        .transform((address) => address as `0x${string}`),
      name: z.string().min(1).optional(),
    }),
  ),
);
const didKeys = z
  .string()
  .transform((text) => text.split(",").map((did) => did.trim()))
  .pipe(
    z.array(
      z
        .string()
        .refine((did) => readEd25519Key(did) !== undefined, "must be did:key:z6Mk…, separated by commas")
        .transform((did) => did as `did:key:${string}`),
    ),
  );
const hexKey = z.string().regex(/^(0x)?[0-9a-fA-F]{64}$/, "must be 64 hexadecimal digits");
const sealingKey = z
  .string()
  .trim()
  .pipe(hexKey)
  .transform((text) => text.replace(/^0x/, "").toLowerCase());
const sealingKeys = z
  .string()
  .transform((text) => text.split(","))
  .pipe(z.array(sealingKey));
/** Micro-CARBON of one CARBON. */
const MICRO_CARBON = 1_000_000n;
const decimal = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,9})?$/, "must be a decimal number, with at most 9 digits after the point")
  .refine((text) => /[1-9]/.test(text), "must be more than 0");
const mailFrom = z
  .string()
  .regex(
    /^([^<>\r\n]*<[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/,
    "must be maria@example.org or Maria <maria@example.org>",
  );
const recordsOpenDays = z.coerce
  .number()
  .int()
  .refine((days) => days === 0 || (days >= 30 && days <= 36_500), "must be 0, or from 30 to 36500");
const connectRooms = z
  .string()
  .transform((text) => (text.trim() === "none" ? [] : text.split(",").map((name) => name.trim())));
const flag = z.enum(["0", "1"]).transform((value) => value === "1");
const signer = z.string().superRefine((reference, context) => {
  const message = whyReferenceRefused(reference);
  if (message !== undefined) context.addIssue({ code: "custom", message });
});
const beaconUrl = addressVariable.refine(
  (url) => /\/[0-9a-f]{64}$/.test(url),
  "must end with the hash of the beacon's chain",
);
const privateKey = z.string().regex(/^0x[0-9a-fA-F]{64}$/, "must be 0x and 64 hexadecimal digits");

const environment = z.object({
  PORT: port.default(3000),
  INDEXER_PORT: port.default(42_069),
  CHAIN_PORT: port.default(8545),
  HOST: z.string().min(1).default("127.0.0.1"),
  DATA_DIR: z.string().min(1).default(".hearth"),
  PUBLIC_URL: addressVariable.optional(),
  PUBLIC_URL_ALIASES: listOf(addressVariable).default([]),
  ADMIN_API_KEY: z.string().min(24, "must have at least 24 characters").optional(),
  RPC_URL: listOf(nodeUrl).optional(),
  CHAIN_ID: z.coerce.number().int().positive().optional(),
  DEPLOYMENT: z.string().min(1).optional(),
  RELAYER_KEY: privateKey.optional(),
  REGISTRAR_KEY: privateKey.optional(),
  EVALUATOR_KEY: privateKey.optional(),
  RELAYER_SIGNER: signer.optional(),
  REGISTRAR_SIGNER: signer.optional(),
  EVALUATOR_SIGNER: signer.optional(),
  SCHEME_KEY: hexKey.optional(),
  SEALING_KEY: sealingKey.optional(),
  SEALING_KEYS_PREVIOUS: sealingKeys.default([]),
  SERVICE_KEY: hexKey.optional(),
  SIGNING_KEY: hexKey.optional(),
  SIGNING_KEYS_PREVIOUS: didKeys.default([]),
  ETHR_NETWORKS: ethrNetworks.default([]),
  DRAW_BEACON_URL: beaconUrl.optional(),
  ALLOW_PLAIN_KEY: flag.default(false),
  DATABASE_URL: postgresUrl.optional(),
  INDEXER_DATABASE_URL: postgresUrl.optional(),
  INDEXER_READER_DATABASE_URL: postgresUrl.optional(),
  INDEXER_URL: addressVariable.optional(),
  INDEXER_TOKEN: z.string().min(16, "must have at least 16 characters").optional(),
  MAX_FEE_GWEI: decimal.default("500"),
  MAX_PRIORITY_FEE_GWEI: decimal.default("50"),
  RAISE_FEE_AFTER_MS: z.coerce.number().int().min(1_000).max(86_400_000).default(60_000),
  CONFIRMATIONS: z.coerce.number().int().min(1).max(1_000).optional(),
  GAS_BUDGET_ETHER_PER_DAY: decimal.optional(),
  TX_WAIT_MS: z.coerce.number().int().min(0).max(600_000).default(20_000),
  OFFLINE_CARD_LIMIT: z.coerce.number().int().min(0).max(1_000_000).default(100),
  OFFLINE_DEVICE_LIMIT: z.coerce.number().int().min(0).max(1_000_000).default(1_000),
  REQUESTS_PER_MINUTE: z.coerce.number().int().min(1).max(1_000_000).default(600),
  TRUST_PROXY: flag.default(false),
  MIN_FREE_BYTES: z.coerce
    .number()
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .default(64 * 1024 * 1024),
  OTEL_EXPORTER_OTLP_ENDPOINT: addressVariable.optional(),
  CONNECT: connectRooms.optional(),
  RECORDS_OPEN_DAYS: recordsOpenDays.default(365),
  PHOTO_QUOTA_BYTES: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .superRefine(refuseUrlParts(["fragment"], ""))
    .optional(),
  MAIL_FROM: mailFrom.optional(),
  ...fileVariables,
  ...oracleVariables,
  LOG_LEVEL: z.enum(logLevels).default("info"),
});

type Environment = z.output<typeof environment>;

/** Names of all variables that readConfig reads. */
export const variableNames: readonly string[] = Object.keys(environment.shape);

/** Names of the variables that never appear in a log. */
export const secretVariables = [
  "ADMIN_API_KEY",
  "RELAYER_KEY",
  "REGISTRAR_KEY",
  "EVALUATOR_KEY",
  "RELAYER_SIGNER",
  "REGISTRAR_SIGNER",
  "EVALUATOR_SIGNER",
  "SCHEME_KEY",
  "SEALING_KEY",
  "SEALING_KEYS_PREVIOUS",
  "SERVICE_KEY",
  "SIGNING_KEY",
  "DATABASE_URL",
  "INDEXER_DATABASE_URL",
  "INDEXER_READER_DATABASE_URL",
  "INDEXER_TOKEN",
  "SMTP_URL",
  "VFS_KEK",
  "VFS_KEK_PREVIOUS",
  "ORACLE_MNEMONIC",
  "ORACLE_TURN_SECRET",
] as const;

/** Private keys of the roles' accounts. */
const roleKeys = ["RELAYER_KEY", "REGISTRAR_KEY", "EVALUATOR_KEY"] as const;

/** Signers of the roles' accounts. Their URLs may hold passwords. */
const roleSigners = ["RELAYER_SIGNER", "REGISTRAR_SIGNER", "EVALUATOR_SIGNER"] as const;

/** Secrets that a file may hold: `<NAME>_FILE` is its path. */
const fileSecrets: readonly string[] = [
  ...roleKeys,
  ...roleSigners,
  ...indexerSecrets,
  "ADMIN_API_KEY",
  "SCHEME_KEY",
  "SEALING_KEY",
  "SEALING_KEYS_PREVIOUS",
  "SERVICE_KEY",
  "SIGNING_KEY",
  "DATABASE_URL",
  "SMTP_URL",
  "VFS_KEK",
  "ORACLE_MNEMONIC",
];

/** Development chains: every other chain id is treated as a public network. */
const developmentChains = new Set([1337, 31_337]);

export type Config = PlatformConfig & {
  files: FilesConfig;
  oracle: OracleConfig;
  /** Names of the rooms of connect/ that run in this process; undefined: all. */
  connect: string[] | undefined;
  /** Days after which a field record that nobody corrected or completed is abandoned; 0: never. */
  recordsOpenDays: number;
  /** Most bytes of the photos that one sender keeps here; undefined: no limit. */
  photoQuotaBytes: number | undefined;
  /** Most micro-CARBON of a card's and of a till's orders that were accepted without a network and have not arrived. */
  offlineLimits: { perCard: bigint; perDevice: bigint };
};

/**
 * Read the environment into the typed configuration. An empty variable counts as absent.
 * @throws ConfigError naming every variable that is malformed, or that another variable requires
 */
export function readConfig(environmentGiven: Record<string, string | undefined>): Config {
  const { env, fromFile, problems: unread } = readSecretFiles(environmentGiven, fileSecrets);
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ""));
  const parsed = environment.safeParse(given);
  const problems = parsed.success
    ? []
    : parsed.error.issues.map(({ path, message }) => problem(path.join("."), message));
  problems.push(...unread, ...halfSet(given), ...plainKeys(given, fromFile), ...fileVariableProblems(given));
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems);
  const half = oracleVariableProblems(parsed.data);
  if (half.length > 0) throw new ConfigError(half);
  return toConfig(parsed.data, env);
}

function problem(path: string, message: string): RuleDetail {
  return { path, rule: "configuration", message };
}

function halfSet(given: Record<string, string | undefined>): RuleDetail[] {
  const problems: RuleDetail[] = [];
  const outside = ["RPC_URL", "CHAIN_ID", "DEPLOYMENT"].filter((name) => given[name] !== undefined);
  for (const name of outside.length > 0 ? ["RPC_URL", "CHAIN_ID", "DEPLOYMENT"] : []) {
    if (given[name] === undefined) problems.push(problem(name, `is missing: it goes with ${outside.join(" and ")}`));
  }
  if (given.RPC_URL !== undefined && given.RELAYER_KEY === undefined && given.RELAYER_SIGNER === undefined) {
    const message = "is missing, or RELAYER_SIGNER: an outside chain (RPC_URL) needs an account that pays for writes";
    problems.push(problem("RELAYER_KEY", message));
  }
  for (const [place, name] of roleSigners.entries()) {
    const key = roleKeys[place] as string;
    if (given[name] === undefined || given[key] === undefined) continue;
    problems.push(problem(name, `is set together with ${key}: set only one of them`));
  }
  for (const [name, other] of [
    ["SMTP_URL", "MAIL_FROM"],
    ["MAIL_FROM", "SMTP_URL"],
  ] as const) {
    if (given[name] === undefined && given[other] !== undefined) {
      problems.push(problem(name, `is missing: it goes with ${other}`));
    }
  }
  if (given.DATABASE_URL !== undefined && given.RPC_URL !== undefined && given.SCHEME_KEY === undefined) {
    problems.push(
      problem("SCHEME_KEY", "is missing: several machines (DATABASE_URL, RPC_URL) must hash households alike"),
    );
  }
  if (given.DATABASE_URL !== undefined && given.RPC_URL !== undefined && given.SERVICE_KEY === undefined) {
    problems.push(problem("SERVICE_KEY", "is missing: several machines (DATABASE_URL, RPC_URL) must sign as one"));
  }
  if (given.DATABASE_URL !== undefined && given.RPC_URL !== undefined && given.BLOB_URL === undefined) {
    const message =
      "is missing: several machines (DATABASE_URL, RPC_URL) must share the files: use s3://…, or file:///… for a folder that all of them have";
    problems.push(problem("BLOB_URL", message));
  }
  return problems;
}

/** Find the keys that must be in files on a public network: every process of the same user can read a plain variable. */
function plainKeys(given: Record<string, string | undefined>, fromFile: ReadonlySet<string>): RuleDetail[] {
  const chainId = Number(given.CHAIN_ID);
  if (!(chainId > 0) || developmentChains.has(chainId) || given.ALLOW_PLAIN_KEY === "1") return [];
  const plain = roleKeys.filter((name) => given[name] !== undefined && !fromFile.has(name));
  return plain.map((name) =>
    problem(name, `is refused as a plain variable on chain ${chainId}: use ${name}_FILE, or set ALLOW_PLAIN_KEY=1`),
  );
}

function toConfig(env: Environment, all: Record<string, string | undefined>): Config {
  const dataDir = resolve(env.DATA_DIR);
  const chainId = env.CHAIN_ID ?? 31_337;
  const rpcUrls = env.RPC_URL ?? [`http://127.0.0.1:${env.CHAIN_PORT}`];
  const files = toFilesConfig(env, dataDir);
  const usesDisk = env.DATABASE_URL === undefined || files.blobs.kind === "disk";
  const publicUrl = env.PUBLIC_URL ?? `http://${urlHost(env.HOST)}:${env.PORT}`;
  return {
    host: env.HOST,
    isOwnMachine: isOwnMachine(env, publicUrl),
    port: env.PORT,
    publicUrl,
    publicAliases: env.PUBLIC_URL_ALIASES,
    dataDir,
    logLevel: env.LOG_LEVEL,
    minFreeBytes: usesDisk ? env.MIN_FREE_BYTES : 0,
    databaseUrl: env.DATABASE_URL,
    serviceKey: env.SERVICE_KEY?.replace(/^0x/, "").toLowerCase(),
    signingKey: env.SIGNING_KEY?.replace(/^0x/, "").toLowerCase(),
    previousSigningKeys: env.SIGNING_KEYS_PREVIOUS,
    sealing: { current: env.SEALING_KEY, previous: env.SEALING_KEYS_PREVIOUS },
    adminApiKey: env.ADMIN_API_KEY,
    chain: {
      embedded: env.RPC_URL === undefined,
      rpcUrl: rpcUrls[0] as string,
      rpcUrls,
      chainId,
      deployment:
        env.DEPLOYMENT === undefined ? join(dataDir, "deployments", `${chainId}.json`) : resolve(env.DEPLOYMENT),
      roleKeys: {
        operator: env.RELAYER_KEY as `0x${string}` | undefined,
        registrar: env.REGISTRAR_KEY as `0x${string}` | undefined,
        evaluator: env.EVALUATOR_KEY as `0x${string}` | undefined,
      },
      roleSigners: {
        operator: env.RELAYER_SIGNER,
        registrar: env.REGISTRAR_SIGNER,
        evaluator: env.EVALUATOR_SIGNER,
      },
      schemeKey: env.SCHEME_KEY?.replace(/^0x/, "").toLowerCase(),
      txWaitMs: env.TX_WAIT_MS,
      maxFeeGwei: env.MAX_FEE_GWEI,
      maxPriorityFeeGwei: env.MAX_PRIORITY_FEE_GWEI,
      raiseFeeAfterMs: env.RAISE_FEE_AFTER_MS,
      confirmations: env.CONFIRMATIONS ?? confirmationsOf(chainId),
      gasBudgetEther: env.GAS_BUDGET_ETHER_PER_DAY,
    },
    indexer: {
      url: env.INDEXER_URL ?? `http://127.0.0.1:${env.INDEXER_PORT}`,
      port: env.INDEXER_PORT,
      databaseUrl: env.INDEXER_DATABASE_URL,
      token: env.INDEXER_TOKEN,
    },
    ethrNetworks: env.ETHR_NETWORKS,
    drawBeaconUrl: env.DRAW_BEACON_URL,
    mail:
      env.SMTP_URL === undefined || env.MAIL_FROM === undefined
        ? undefined
        : { smtpUrl: env.SMTP_URL, from: env.MAIL_FROM },
    sendsTraces: env.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined,
    offlineLimits: {
      perCard: BigInt(env.OFFLINE_CARD_LIMIT) * MICRO_CARBON,
      perDevice: BigInt(env.OFFLINE_DEVICE_LIMIT) * MICRO_CARBON,
    },
    requestsPerMinute: env.REQUESTS_PER_MINUTE,
    trustProxy: env.TRUST_PROXY,
    files,
    oracle: toOracleConfig(env, all),
    connect: env.CONNECT,
    recordsOpenDays: env.RECORDS_OPEN_DAYS,
    photoQuotaBytes: env.PHOTO_QUOTA_BYTES,
  };
}

const loopback = new Set(["localhost", "127.0.0.1", "::1", "[::1]"]);

/** Whether nothing of the system runs elsewhere, and it listens and is known only as this machine. */
function isOwnMachine(env: Environment, publicUrl: string): boolean {
  const outside = [env.RPC_URL, env.DATABASE_URL, env.INDEXER_URL, env.INDEXER_DATABASE_URL];
  const names = [publicUrl, ...env.PUBLIC_URL_ALIASES].map((url) => new URL(url).hostname);
  // 0.0.0.0 listens to every network.
  const isLocal = loopback.has(env.HOST) && names.every((name) => loopback.has(name));
  return isLocal && !env.TRUST_PROXY && outside.every((each) => each === undefined);
}

function urlHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}

/** The configuration for a log line: secrets and passwords replaced. */
export function redactConfig(config: Config): unknown {
  const hidden = (value: string | undefined) => (value === undefined ? undefined : "[secret]");
  return {
    ...config,
    databaseUrl: hidden(config.databaseUrl),
    serviceKey: hidden(config.serviceKey),
    signingKey: hidden(config.signingKey),
    sealing: { current: hidden(config.sealing.current), previous: config.sealing.previous.map(hidden) },
    adminApiKey: hidden(config.adminApiKey),
    mail: config.mail && { ...config.mail, smtpUrl: hidden(config.mail.smtpUrl) },
    // In CARBON, as they were set: JSON has no bigint.
    offlineLimits: {
      perCard: String(config.offlineLimits.perCard / MICRO_CARBON),
      perDevice: String(config.offlineLimits.perDevice / MICRO_CARBON),
    },
    chain: {
      ...config.chain,
      rpcUrl: new URL(config.chain.rpcUrl).origin,
      rpcUrls: config.chain.rpcUrls.map((url) => new URL(url).origin),
      roleKeys: {
        operator: hidden(config.chain.roleKeys.operator),
        registrar: hidden(config.chain.roleKeys.registrar),
        evaluator: hidden(config.chain.roleKeys.evaluator),
      },
      roleSigners: {
        operator: hidden(config.chain.roleSigners.operator),
        registrar: hidden(config.chain.roleSigners.registrar),
        evaluator: hidden(config.chain.roleSigners.evaluator),
      },
      schemeKey: hidden(config.chain.schemeKey),
    },
    indexer: {
      ...config.indexer,
      databaseUrl: hidden(config.indexer.databaseUrl),
      token: hidden(config.indexer.token),
    },
    files: redactFilesConfig(config.files),
    oracle: redactOracleConfig(config.oracle),
  };
}
