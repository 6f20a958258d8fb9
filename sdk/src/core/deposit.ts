import type { Connections } from "./connections.ts";
import type { UnsignedTransaction } from "./registry.ts";

export type DepositOptions = {
  oracleDid: string;
  /** Of the oracle's API, when it is known already. */
  baseUrl?: string | undefined;
  /** Micro-units. */
  amount?: string | bigint;
  maxPrice?: string | bigint;
};

/** Messages that a deposit is for, unless its amount is given. */
const messagesPaid = 100n;

/**
 * The transactions that contract an oracle. Addresses come from the registry on chain and are never the oracle's to choose where
 * the app has named a network.
 * @throws ApiError when the oracle does not say how its user is known on chain, Error when it is free or not on chain
 */
export async function depositIn(connections: Connections, options: DepositOptions): Promise<UnsignedTransaction[]> {
  const { oracleDid, baseUrl, amount, maxPrice } = options;
  const resource = connections.configOf(oracleDid, baseUrl);
  const config = await resource.ensure();
  const url = baseUrl ?? config?.apiUrl;
  if (config?.chain === undefined || url === undefined) {
    throw new Error("Where this oracle is paid is not known.", { cause: resource.get().error });
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
