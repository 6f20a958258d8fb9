import type { Connections } from "./connections.ts";
import type { UnsignedTransaction } from "./registry.ts";

export type DepositOptions = {
  oracleDid: string;
  /** URL of the oracle's API, if known. */
  baseUrl?: string | undefined;
  /** Micro-units of the stablecoin. */
  amount?: string | bigint;
  maxPrice?: string | bigint;
};

/** Number of messages that the default deposit pays for. */
const messagesPaid = 100n;

/**
 * Prepare the transactions that contract an oracle. If the app has set a network, all addresses come from the registry on chain, and
 * the oracle cannot choose them.
 * @throws ApiError when the oracle does not return the user's account, Error when it is free or not on chain
 */
export async function depositIn(connections: Connections, options: DepositOptions): Promise<UnsignedTransaction[]> {
  const { oracleDid, baseUrl, amount, maxPrice } = options;
  const resource = connections.configOf(oracleDid, baseUrl);
  const config = await resource.ensure();
  const url = baseUrl ?? config?.apiUrl;
  if (config?.chain === undefined || url === undefined) {
    throw new Error("The oracle's payment address is unknown.", { cause: resource.get().error });
  }
  const price = BigInt(maxPrice ?? config.price ?? "0");
  const deposit = BigInt(amount ?? price * messagesPaid);
  if (deposit <= 0n) throw new Error("This oracle is free: there is nothing to pay.");
  const account = await connections.clientOf(oracleDid, url).request<{ user: string }>("GET", "/oracle/account");
  const { depositTransactions } = await import("./registry.ts");
  const { chainId, registryAddress, stablecoin } = config.chain;
  const paid = { user: account.user, amount: deposit, maxPrice: price };
  return depositTransactions({ chainId, registryAddress, stablecoin, oracleDid, ...paid });
}
