import { resolve } from "node:path";
import { mnemonicToAccount } from "viem/accounts";
import { z } from "zod";

export type OracleConfig = {
  name: string;
  /** `made`: on first start under `dataDir`/keys. `blank`: not loaded, so nobody is authenticated. */
  mnemonic: { kind: "made" | "blank" } | { kind: "given"; phrase: string };
  /** Path of the JSON map from DIDs to their did:key. */
  didRegistry: string | undefined;
  /** Requests a minute of one user. */
  requestsPerMinute: number;
  /** How long a client has to answer a call of one of its tools, in milliseconds. */
  clientCallMs: number;
};

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
  ORACLE_CLIENT_CALL_MS: z.coerce.number().int().min(100).max(600_000).default(15_000),
};

type OracleEnvironment = z.output<z.ZodObject<typeof oracleVariables>>;

/** @param blank true when the variable ORACLE_MNEMONIC is there and says nothing */
export function toOracleConfig(env: OracleEnvironment, blank: boolean): OracleConfig {
  const phrase = env.ORACLE_MNEMONIC ?? "";
  return {
    name: env.ORACLE_NAME,
    mnemonic: phrase !== "" ? { kind: "given", phrase } : { kind: blank ? "blank" : "made" },
    didRegistry: env.DID_REGISTRY === undefined ? undefined : resolve(env.DID_REGISTRY),
    requestsPerMinute: env.ORACLE_REQUESTS_PER_MINUTE,
    clientCallMs: env.ORACLE_CLIENT_CALL_MS,
  };
}

/** For a log line. */
export function redactOracleConfig(oracle: OracleConfig): unknown {
  return { ...oracle, mnemonic: oracle.mnemonic.kind };
}

function isMnemonic(phrase: string): boolean {
  try {
    mnemonicToAccount(phrase);
    return true;
  } catch {
    return false;
  }
}
