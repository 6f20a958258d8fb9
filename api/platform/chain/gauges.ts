import { sql } from "drizzle-orm";
import { formatEther, formatGwei } from "viem";
import type { Database } from "../db/index.ts";
import type { Gauges } from "../gauges.ts";
import type { Chain } from "./chain.ts";
import { balancesOf } from "./signers/senders.ts";

/** Show the outbox, the chain's head and the accounts that pay for gas. */
export function addChainGauges(gauges: Gauges, { db, chain }: { db: Database; chain: Chain }): void {
  gauges.add({
    group: "outbox",
    gauges: {
      outbox_open: "Stored transactions that are in no block yet.",
      outbox_oldest_age_seconds:
        "Age of the oldest stored transaction that is in no block yet, in seconds; 0 if there is none.",
      outbox_waiting_for_base_fee:
        "Stored transactions that wait because the base fee is above MAX_FEE_GWEI; 0 while it is not.",
      outbox_replaced: "Transactions in no block yet whose fee was raised, or that were signed again, at least once.",
      outbox_foreign_nonces:
        "Nonces of the service's accounts that this process has found used by transactions from elsewhere.",
    },
    read: async () => {
      const { rows } = await db.execute<{ open: string; age: string; replaced: string }>(sql`
        select count(*) as open, coalesce(extract(epoch from now() - min(created_at)), 0) as age,
          count(*) filter (where jsonb_array_length(replaced_hashes) > 0) as replaced
        from chain_transactions where status = 'open'`);
      const open = Number(rows[0]?.open);
      return {
        outbox_open: open,
        outbox_oldest_age_seconds: Number(rows[0]?.age),
        outbox_waiting_for_base_fee: chain.fees.baseFeeAboveCap() === undefined ? 0 : open,
        outbox_replaced: Number(rows[0]?.replaced),
        outbox_foreign_nonces: chain.outbox.foreignNonces,
      };
    },
  });
  gauges.add({
    group: "chain",
    gauges: {
      chain_block_number: "Number of the latest block.",
      chain_block_age_seconds: "Time since the latest block by this machine's clock, in seconds.",
      chain_gas_price_gwei: "Gas price that the node suggests, in gwei.",
      chain_base_fee_gwei: "Base fee of the latest block, in gwei.",
      chain_max_fee_gwei: "Most that the service pays for a unit of gas (MAX_FEE_GWEI), in gwei.",
    },
    read: async () => {
      const [block, gasPrice] = await Promise.all([chain.latest(), chain.client.getGasPrice()]);
      return {
        chain_block_number: Number(block.number),
        chain_block_age_seconds: Math.max(0, Date.now() / 1000 - Number(block.timestamp)),
        chain_gas_price_gwei: Number(formatGwei(gasPrice)),
        chain_base_fee_gwei: Number(formatGwei(block.baseFee)),
        chain_max_fee_gwei: Number(formatGwei(chain.fees.caps.maxFeePerGas)),
      };
    },
  });
  gauges.add({
    group: "gas budget",
    gauges: {
      gas_spent_ether: "What the service's accounts paid for gas in the last 24 hours, in ether.",
      gas_budget_ether:
        "Most that they may pay in 24 hours (GAS_BUDGET_ETHER_PER_DAY), in ether; absent without a limit.",
    },
    read: async () => {
      const { limit, spent } = chain.outbox.options.budget;
      return {
        gas_spent_ether: Number(formatEther(await spent())),
        ...(limit === undefined ? {} : { gas_budget_ether: Number(formatEther(limit)) }),
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
