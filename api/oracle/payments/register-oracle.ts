import { createTestClient, createWalletClient, type Hex, http, isAddressEqual, publicActions } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { oraclesAbi } from "../../../deployments/abi/oracles.ts";
import { type Chain, senderOf, submitCall } from "../../platform/chain/index.ts";
import { loadOrCreateSecret } from "../../platform/secrets.ts";
import type { OracleConfig } from "../configuration.ts";
import { oracleIdOf } from "./oracle-id.ts";
import type { Payments } from "./payments.ts";
import type { OnChainOracle } from "./terms.ts";

export type RegisterOracleDeps = {
  config: {
    dataDir: string;
    publicUrl: string;
    chain: { embedded: boolean; rpcUrl: string };
    oracle: Pick<OracleConfig, "payment">;
  };
  chain: Chain;
  payments: Pick<Payments, "did" | "terms">;
};

/** The key that owns this system's oracle on the embedded chain, kept in `dataDir`/keys. */
export async function ownerKey(dataDir: string): Promise<Hex> {
  return `0x${(await loadOrCreateSecret(dataDir, "oracle-owner")).replace(/^0x/, "")}`;
}

/**
 * Register this system's oracle on the embedded chain, or update its price and its URL on this machine, to what the configuration
 * says. A URL elsewhere, which the owner set, stays. On any other chain the owner does this with a tool, and nothing happens here.
 * @returns the oracle's registration; undefined when it has none
 */
export async function registerOwnOracle({
  config,
  chain,
  payments,
}: RegisterOracleDeps): Promise<OnChainOracle | undefined> {
  const found = await payments.terms.refresh();
  if (!config.chain.embedded) return found;
  const { price, freeMessages, allowance } = config.oracle.payment;
  const owner = privateKeyToAccount(await ownerKey(config.dataDir));
  if (found === undefined) {
    const settler = senderOf(chain, "operator").address;
    const urls = { apiUrl: ownUrl(config.publicUrl), wsUrl: "", agentCardUri: "" };
    const registration = { did: payments.did, ...urls, price, freeMessages, allowance, settler, payee: owner.address };
    const call = { sender: "operator", contract: "oracles", functionName: "register" } as const;
    await submitCall({ chain }, {}, { ...call, args: [registration, owner.address], purpose: "oracle.register" });
    return await payments.terms.refresh();
  }
  if (!isAddressEqual(found.owner, owner.address)) return found;
  const ownerWallet = { rpcUrl: config.chain.rpcUrl, account: owner, embedded: true };
  const [address, id] = [chain.addresses.oracles, oracleIdOf(payments.did)];
  if (found.price !== price || found.freeMessages !== freeMessages || found.allowance !== allowance) {
    const args = [id, price, freeMessages, allowance] as const;
    await callAsOwner(ownerWallet, { address, functionName: "setTerms", args });
  }
  if (isLocal(found.apiUrl) && found.apiUrl !== ownUrl(config.publicUrl)) {
    const args = [id, ownUrl(config.publicUrl), found.wsUrl, found.agentCardUri] as const;
    await callAsOwner(ownerWallet, { address, functionName: "setUrls", args });
  }
  return await payments.terms.refresh();
}

type OwnerWallet = { rpcUrl: string; account: ReturnType<typeof privateKeyToAccount>; embedded: boolean };
type OwnerCall = { address: Hex } & (
  | { functionName: "setTerms"; args: readonly [Hex, bigint, number, number] }
  | { functionName: "setUrls"; args: readonly [Hex, string, string, string] }
);

/**
 * Send a call as the oracle's owner and wait for its block. On the embedded chain the owner is given coins for gas.
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

/** Hosts that mean this machine. */
const local = /^(localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0)$/;

function isLocal(url: string): boolean {
  return URL.canParse(url) && local.test(new URL(url).hostname);
}

/** Where clients reach this runtime: on this machine by its usual name. */
function ownUrl(publicUrl: string): string {
  const url = new URL(publicUrl);
  if (local.test(url.hostname)) url.hostname = "localhost";
  return url.origin;
}

/** Warn that the registry names another address than this runtime's; undefined when they agree. */
export function registrationWarning(
  oracle: Pick<OnChainOracle, "apiUrl"> | undefined,
  { publicUrl, port, did }: { publicUrl: string; port: number; did: string },
): string | undefined {
  if (oracle === undefined) return `[boot] oracle: ${did} is not registered on this chain, and free of charge`;
  if (reaches(oracle.apiUrl, publicUrl, port)) return undefined;
  const url = isLocal(publicUrl) ? `http://localhost:${port}` : publicUrl;
  return (
    `[boot] oracle: it listens on :${port}, but the registry on chain names ${oracle.apiUrl}. This matters only to apps ` +
    `that look it up there. To make both agree, start with PORT=${portOf(oracle.apiUrl)}, or run ` +
    `npm run update-oracle-api-url -- --did ${did} --url ${url}`
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
