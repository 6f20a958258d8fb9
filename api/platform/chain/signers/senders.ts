import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Hex, PublicClient } from "viem";
import type { PlatformConfig } from "../../config.ts";
import { ConfigError } from "../../config-error.ts";
import { keySigner, openSigner, type Signer } from "./signer.ts";

/** The API's accounts, by the role that each holds on chain. */
export const senderNames = ["operator", "registrar", "evaluator"] as const;
export type SenderName = (typeof senderNames)[number];
export type Senders = Record<SenderName, Signer>;

type RoleKeys = Pick<PlatformConfig["chain"], "roleKeys" | "roleSigners">;
/** The variable of a role's signer. */
const signerVariables = { operator: "RELAYER_SIGNER", registrar: "REGISTRAR_SIGNER", evaluator: "EVALUATOR_SIGNER" };

/**
 * Load the accounts. A given key or signer takes precedence over DATA_DIR/keys/<name>.key. For a role without a key the operator is used; the
 * contracts refuse its transactions unless it was granted the role.
 * @throws Error when the operator has no key
 * @throws ConfigError when a signer has no key that can be used
 */
export async function loadSenders(dataDir: string, { roleKeys, roleSigners }: RoleKeys): Promise<Senders> {
  const load = (name: SenderName) => accountOf(dataDir, name, { key: roleKeys[name], signer: roleSigners[name] });
  const operator = await load("operator");
  if (operator === undefined) {
    throw new Error("The operator has no key: set RELAYER_KEY or RELAYER_SIGNER, or start the chain first.");
  }
  const registrar = await load("registrar");
  const evaluator = await load("evaluator");
  return { operator, registrar: registrar ?? operator, evaluator: evaluator ?? operator };
}

/** Read the ether of each account, in wei. */
export async function balancesOf({
  client,
  senders,
}: {
  client: Pick<PublicClient, "getBalance">;
  senders: Senders;
}): Promise<Record<SenderName, bigint>> {
  const read = async (name: SenderName) => [name, await client.getBalance({ address: senders[name].address })] as const;
  return Object.fromEntries(await Promise.all(senderNames.map(read))) as Record<SenderName, bigint>;
}

async function accountOf(
  dataDir: string,
  name: SenderName,
  { key: given, signer }: { key: Hex | undefined; signer: string | undefined },
): Promise<Signer | undefined> {
  if (signer !== undefined) return await openRoleSigner(name, signer);
  if (given !== undefined) return keySigner(given);
  const path = join(dataDir, "keys", `${name}.key`);
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const key = text.trim().replace(/^(0x)?/, "0x");
  if (!/^0x[0-9a-fA-F]{64}$/.test(key)) throw new Error(`${path} does not hold a private key.`);
  return keySigner(key as Hex);
}

export async function openRoleSigner(name: SenderName, reference: string): Promise<Signer> {
  try {
    return await openSigner(reference);
  } catch (error) {
    const message = `cannot be used: ${(error as Error).message}`;
    throw new ConfigError([{ path: signerVariables[name], rule: "configuration", message }]);
  }
}
