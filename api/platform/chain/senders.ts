import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Hex, PublicClient } from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";

/** The API's accounts, by the role that each holds on chain. */
export const senderNames = ["operator", "registrar", "evaluator"] as const;
export type SenderName = (typeof senderNames)[number];
export type Senders = Record<SenderName, PrivateKeyAccount>;

/**
 * Load the accounts. A given key takes precedence over DATA_DIR/keys/<name>.key. For a role without a key the operator is used; the
 * contracts refuse its transactions unless it was granted the role.
 * @throws Error when the operator has no key
 */
export async function loadSenders(dataDir: string, given: Record<SenderName, Hex | undefined>): Promise<Senders> {
  const operator = await accountOf(dataDir, "operator", given.operator);
  if (operator === undefined) throw new Error("The operator has no key: set RELAYER_KEY or start the chain first.");
  const registrar = await accountOf(dataDir, "registrar", given.registrar);
  const evaluator = await accountOf(dataDir, "evaluator", given.evaluator);
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

async function accountOf(dataDir: string, name: SenderName, given?: Hex): Promise<PrivateKeyAccount | undefined> {
  if (given !== undefined) return privateKeyToAccount(given);
  const path = join(dataDir, "keys", `${name}.key`);
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const key = text.trim().replace(/^(0x)?/, "0x");
  if (!/^0x[0-9a-fA-F]{64}$/.test(key)) throw new Error(`${path} does not hold a private key.`);
  return privateKeyToAccount(key as Hex);
}
