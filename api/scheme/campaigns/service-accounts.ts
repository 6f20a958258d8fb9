import type { Address } from "viem";
import type { Chain } from "../../platform/chain/index.ts";

/** List the accounts that this service signs with, each once. */
export function serviceAccountsOf({ senders }: Pick<Chain, "senders">): Address[] {
  return [...new Set(Object.values(senders).map(({ address }) => address))];
}
