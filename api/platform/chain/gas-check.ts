import type { Chain } from "./chain.ts";
import { balancesOf, senderNames } from "./signers/senders.ts";

/** Gas that every account must be able to pay for: a few dozen redemptions. */
const leastGas = 5_000_000n;

/** Create a check that is ready when each account that pays for gas can pay for its next transactions. */
export function gasCheck({ client, senders }: Pick<Chain, "client" | "senders">) {
  return async (): Promise<{ ready: boolean; reason?: string }> => {
    const least = (await client.getGasPrice()) * leastGas;
    const balances = await balancesOf({ client, senders });
    const poor = senderNames.filter((name) => balances[name] < least);
    if (poor.length === 0) return { ready: true };
    return { ready: false, reason: `too little ether to pay for gas: ${poor.join(", ")}` };
  };
}
