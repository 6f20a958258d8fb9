import { sql } from "drizzle-orm";
import { formatEther, formatGwei } from "viem";
import type { Database } from "../db/index.ts";
import type { Gauges } from "../gauges.ts";
import type { Chain } from "./chain.ts";
import { balancesOf } from "./senders.ts";

/** Show the outbox, the chain's head and the accounts that pay for gas. */
export function addChainGauges(gauges: Gauges, { db, chain }: { db: Database; chain: Chain }): void {
  gauges.add({
    group: "outbox",
    gauges: {
      outbox_open: "Stored transactions that are in no block yet.",
      outbox_oldest_age_seconds:
        "Age of the oldest stored transaction that is in no block yet, in seconds; 0 if there is none.",
    },
    read: async () => {
      const { rows } = await db.execute<{ open: string; age: string }>(sql`
        select count(*) as open, coalesce(extract(epoch from now() - min(created_at)), 0) as age
        from chain_transactions where status = 'open'`);
      return { outbox_open: Number(rows[0]?.open), outbox_oldest_age_seconds: Number(rows[0]?.age) };
    },
  });
  gauges.add({
    group: "chain",
    gauges: {
      chain_block_number: "Number of the latest block.",
      chain_block_age_seconds: "Time since the latest block by this machine's clock, in seconds.",
      chain_gas_price_gwei: "Gas price that the node suggests, in gwei.",
    },
    read: async () => {
      const [block, gasPrice] = await Promise.all([chain.latest(), chain.client.getGasPrice()]);
      return {
        chain_block_number: Number(block.number),
        chain_block_age_seconds: Math.max(0, Date.now() / 1000 - Number(block.timestamp)),
        chain_gas_price_gwei: Number(formatGwei(gasPrice)),
      };
    },
  });
  gauges.add({
    group: "senders",
    gauges: { sender_balance_ether: "Balance of each account that pays for gas, in ether." },
    label: "sender",
    read: async () => {
      const balances = Object.entries(await balancesOf(chain));
      return {
        sender_balance_ether: Object.fromEntries(balances.map(([name, wei]) => [name, Number(formatEther(wei))])),
      };
    },
  });
}
