import { createTestClient, createWalletClient, type Hex, http, isAddressEqual, publicActions } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { oraclesAbi } from "../../../deployments/abi/oracles.ts";
import type { Config } from "../../config.ts";
import { type Chain, senderOf } from "../../platform/chain/chain.ts";
import { submitCall } from "../../platform/chain/submit.ts";
import { loadOrCreateSecret } from "../../platform/secrets.ts";
import { oracleIdOf } from "./oracle-id.ts";
import type { Payments } from "./payments.ts";
import type { OnChainOracle } from "./terms.ts";

/** Where clients look for an oracle that nobody has told otherwise. */
export const defaultApiUrl = "http://localhost:4000";

type Parts = { config: Config; chain: Chain; payments: Payments };

/** The key that owns this system's oracle on the embedded chain, kept in `dataDir`/keys. */
export async function ownerKey(dataDir: string): Promise<Hex> {
  return `0x${(await loadOrCreateSecret(dataDir, "oracle-owner")).replace(/^0x/, "")}`;
}

/**
 * Enter this system's own oracle in the registry of the embedded chain, with the price that the configuration says; one that is there
 * gets that price. Elsewhere the owner does both by a tool of theirs, and nothing happens here.
 * @returns the oracle as the registry has it, undefined when it does not
 */
export async function registerOwnOracle({ config, chain, payments }: Parts): Promise<OnChainOracle | undefined> {
  const found = await payments.terms.refresh();
  if (!config.chain.embedded) return found;
  const { price, freeMessages, allowance } = config.oracle.payment;
  const owner = privateKeyToAccount(await ownerKey(config.dataDir));
  if (found === undefined) {
    const settler = senderOf(chain, "operator").address;
    const urls = { apiUrl: defaultApiUrl, wsUrl: "", agentCardUri: "" };
    const registration = { did: payments.did, ...urls, price, freeMessages, allowance, settler, payee: owner.address };
    const call = { sender: "operator", contract: "oracles", functionName: "register" } as const;
    await submitCall({ chain }, {}, { ...call, args: [registration, owner.address], purpose: "oracle.register" });
    return await payments.terms.refresh();
  }
  const isSame = found.price === price && found.freeMessages === freeMessages && found.allowance === allowance;
  if (isSame || !isAddressEqual(found.owner, owner.address)) return found;
  const args = [oracleIdOf(payments.did), price, freeMessages, allowance] as const;
  const ownerWallet = { rpcUrl: config.chain.rpcUrl, account: owner, embedded: true };
  await callAsOwner(ownerWallet, { address: chain.addresses.oracles, functionName: "setTerms", args });
  return await payments.terms.refresh();
}

type OwnerWallet = { rpcUrl: string; account: ReturnType<typeof privateKeyToAccount>; embedded: boolean };
type OwnerCall = { address: Hex } & (
  | { functionName: "setTerms"; args: readonly [Hex, bigint, number, number] }
  | { functionName: "setUrls"; args: readonly [Hex, string, string, string] }
);

/**
 * Send a call of the oracle's owner and wait for its block. On the embedded chain the owner is given what it costs.
 * @throws Error when the registry refuses, or the block does not come
 */
export async function callAsOwner({ rpcUrl, account, embedded }: OwnerWallet, call: OwnerCall): Promise<Hex> {
  const transport = http(rpcUrl);
  if (embedded) {
    const chain = createTestClient({ mode: "anvil", transport });
    await chain.setBalance({ address: account.address, value: 10n ** 20n });
  }
  const wallet = createWalletClient({ account, transport, pollingInterval: 100 }).extend(publicActions);
  const { request } = await wallet.simulateContract({ abi: oraclesAbi, account, chain: null, ...call } as never);
  const hash = await wallet.writeContract(request as never);
  const { status } = await wallet.waitForTransactionReceipt({ hash, timeout: 120_000 });
  if (status !== "success") throw new Error(`The registry refused ${call.functionName} (${hash}).`);
  return hash;
}

/** Hosts by which a machine knows itself. */
const local = /^(localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0)$/;

/** What to say when clients that follow the registry would not find this runtime; undefined when they do. */
export function misdirection(
  oracle: Pick<OnChainOracle, "apiUrl"> | undefined,
  { publicUrl, port, did }: { publicUrl: string; port: number; did: string },
): string | undefined {
  if (oracle === undefined) return `[boot] oracle: ${did} is not registered on this chain, and free of charge`;
  if (reaches(oracle.apiUrl, publicUrl, port)) return undefined;
  return (
    `[boot] oracle: registered at ${oracle.apiUrl}, listening on :${port}: set PORT=${portOf(oracle.apiUrl)}, or run ` +
    `npm run update-oracle-api-url -- --did ${did} --url ${local.test(new URL(publicUrl).hostname) ? `http://localhost:${port}` : publicUrl}`
  );
}

function reaches(apiUrl: string, publicUrl: string, port: number): boolean {
  if (!URL.canParse(apiUrl)) return false;
  const { origin, hostname } = new URL(apiUrl);
  return origin === new URL(publicUrl).origin || (local.test(hostname) && portOf(apiUrl) === `${port}`);
}

function portOf(url: string): string {
  if (!URL.canParse(url)) return "4000";
  const { port, protocol } = new URL(url);
  return port || (protocol === "https:" ? "443" : "80");
}
