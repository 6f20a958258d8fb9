import { resolve } from "node:path";
import { mnemonicToAccount } from "viem/accounts";
import { z } from "zod";
import type { PlatformConfig } from "../platform/config.ts";
import type { RuleDetail } from "../platform/errors.ts";
import { addressVariable } from "../platform/values/url-parts.ts";
import { defaultSilenceMs } from "./agent/tapped-fetch.ts";
import { type IceOptions, type IceServer, isTurn } from "./calls/ice-servers.ts";

/** The part of the configuration that the oracle reads. */
export type OracleRuntimeConfig = PlatformConfig & { oracle: OracleConfig };

export type OracleConfig = {
  name: string;
  /** `made`: created on first start under `dataDir`/keys. `blank`: not loaded, so every authenticated request gets 401. */
  mnemonic: { kind: "made" | "blank" } | { kind: "given"; phrase: string };
  /** Path of the JSON file that maps DIDs to their did:key. */
  didRegistry: string | undefined;
  /** Requests per minute of one user. */
  requestsPerMinute: number;
  /** New users per minute from one address. */
  newUsersPerMinute: number;
  /** How long a client has to answer a call of one of its tools, in milliseconds. */
  clientCallMs: number;
  /** The terms with which the oracle registers on the embedded chain. `price` in stablecoin base units. */
  payment: { price: bigint; freeMessages: number; allowance: number };
  /** ICE servers of live calls; without servers, calls work only within one network. */
  ice: IceOptions;
  /** Undefined if there is no language model, and fixed rules answer. The first model is the default. */
  llm:
    | {
        baseUrl: string;
        apiKey: string | undefined;
        models: string[];
        /** How long a model may send nothing before its answer is aborted, in milliseconds. */
        silenceMs: number;
      }
    | undefined;
  /** The whole environment, from which plugins read their variables. It contains secrets: never log it. */
  environment: Record<string, string | undefined>;
};

const iceServer = z.strictObject({
  urls: z.union([z.string(), z.array(z.string()).min(1)]).refine((urls) => [urls].flat().every(isIceUrl)),
  username: z.string().optional(),
  credential: z.string().optional(),
});
const isIceUrl = (url: string) => /^(stuns?|turns?):/.test(url);
const iceServersIssue = {
  code: "custom",
  message: 'must be JSON like [{"urls": "stun:…"}, {"urls": "turn:…", "username": "…", "credential": "…"}]',
} as const;

/** Parse a list of servers; undefined when it is malformed. */
function readIceServers(text: string): IceServer[] | undefined {
  try {
    return z.array(iceServer).max(10).parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** The oracle's variables, part of the environment that api/config.ts reads. */
export const oracleVariables = {
  ORACLE_NAME: z.string().trim().min(1).max(80).default("Hearth"),
  ORACLE_MNEMONIC: z
    .string()
    .trim()
    .refine((phrase) => phrase === "" || isMnemonic(phrase), "must be a BIP-39 phrase")
    .optional(),
  DID_REGISTRY: z.string().min(1).optional(),
  ORACLE_REQUESTS_PER_MINUTE: z.coerce.number().int().min(1).max(1_000_000).default(120),
  ORACLE_NEW_USERS_PER_MINUTE: z.coerce.number().int().min(1).max(1_000_000).default(120),
  ORACLE_PRICE: z
    .string()
    .regex(/^\d{1,16}$/, "must be a whole number of stablecoin base units (1000000 are one coin)")
    .transform((text) => BigInt(text))
    .default(0n),
  ORACLE_FREE_MESSAGES: z.coerce.number().int().min(0).max(4_294_967_295).default(0),
  ORACLE_ALLOWANCE: z.coerce.number().int().min(0).max(4_294_967_295).default(0),
  ORACLE_CLIENT_CALL_MS: z.coerce.number().int().min(100).max(600_000).default(15_000),
  ORACLE_ICE_SERVERS: z
    .string()
    .transform((text, ctx) => {
      const servers = readIceServers(text);
      if (servers === undefined) ctx.addIssue(iceServersIssue);
      return servers ?? z.NEVER;
    })
    .default([]),
  ORACLE_TURN_SECRET: z.string().min(16, "must have 16 characters or more").optional(),
  LLM_BASE_URL: addressVariable.optional(),
  LLM_API_KEY: z.string().min(1).optional(),
  LLM_MODEL: z
    .string()
    .transform((text) => text.split(",").map((name) => name.trim()))
    .pipe(z.array(z.string().min(1, "must be names of models, separated by commas")).min(1))
    .optional(),
  LLM_SILENCE_MS: z.coerce.number().int().min(100).max(3_600_000).default(defaultSilenceMs),
};

type OracleEnvironment = z.output<z.ZodObject<typeof oracleVariables>>;

/** List variables that require another one. */
export function oracleVariableProblems(env: OracleEnvironment): RuleDetail[] {
  const { LLM_BASE_URL, LLM_MODEL, ORACLE_ICE_SERVERS: servers, ORACLE_TURN_SECRET } = env;
  const rule = "set-together";
  const problems: RuleDetail[] = [];
  if ((LLM_BASE_URL === undefined) !== (LLM_MODEL === undefined)) {
    const path = LLM_MODEL === undefined ? "LLM_MODEL" : "LLM_BASE_URL";
    problems.push({ path, rule, message: "LLM_BASE_URL and LLM_MODEL go together" });
  }
  const needSecret = servers.some((server) => isTurn(server) && server.username === undefined);
  if (needSecret && ORACLE_TURN_SECRET === undefined) {
    const message = "must be set, or ORACLE_ICE_SERVERS must contain a username and a credential for each TURN server";
    problems.push({ path: "ORACLE_TURN_SECRET", rule, message });
  } else if (!needSecret && ORACLE_TURN_SECRET !== undefined) {
    const message = "is unused: ORACLE_ICE_SERVERS contains no TURN server without a username";
    problems.push({ path: "ORACLE_TURN_SECRET", rule, message });
  }
  return problems;
}

/** @param all the whole environment, because an empty ORACLE_MNEMONIC differs from an absent one */
export function toOracleConfig(env: OracleEnvironment, all: OracleConfig["environment"]): OracleConfig {
  const blank = all.ORACLE_MNEMONIC !== undefined;
  const phrase = env.ORACLE_MNEMONIC ?? "";
  return {
    name: env.ORACLE_NAME,
    mnemonic: phrase !== "" ? { kind: "given", phrase } : { kind: blank ? "blank" : "made" },
    didRegistry: env.DID_REGISTRY === undefined ? undefined : resolve(env.DID_REGISTRY),
    requestsPerMinute: env.ORACLE_REQUESTS_PER_MINUTE,
    newUsersPerMinute: env.ORACLE_NEW_USERS_PER_MINUTE,
    clientCallMs: env.ORACLE_CLIENT_CALL_MS,
    payment: {
      price: env.ORACLE_PRICE,
      freeMessages: env.ORACLE_FREE_MESSAGES,
      allowance: env.ORACLE_ALLOWANCE,
    },
    ice: { servers: env.ORACLE_ICE_SERVERS, turnSecret: env.ORACLE_TURN_SECRET },
    llm: llmOf(env),
    environment: all,
  };
}

function llmOf({
  LLM_BASE_URL: baseUrl,
  LLM_API_KEY: apiKey,
  LLM_MODEL: models,
  LLM_SILENCE_MS: silenceMs,
}: OracleEnvironment): OracleConfig["llm"] {
  return baseUrl === undefined || models === undefined ? undefined : { baseUrl, apiKey, models, silenceMs };
}

/** The configuration without secrets, for a log line. */
export function redactOracleConfig({ environment: _, ...oracle }: OracleConfig): unknown {
  const llm = oracle.llm && { ...oracle.llm, apiKey: oracle.llm.apiKey === undefined ? undefined : "[redacted]" };
  const { servers, turnSecret } = oracle.ice;
  const ice = { servers: servers.map(({ urls }) => urls), turnSecret: turnSecret && "[redacted]" };
  const payment = { ...oracle.payment, price: `${oracle.payment.price}` };
  return { ...oracle, mnemonic: oracle.mnemonic.kind, llm, ice, payment };
}

function isMnemonic(phrase: string): boolean {
  try {
    mnemonicToAccount(phrase);
    return true;
  } catch {
    return false;
  }
}
