import { createConfig } from "ponder";
import { vouchersAbi } from "../../deployments/abi/vouchers.ts";

const required = (name: string): string => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
};

/** The smallest Ponder app for the same events: one event of one contract, and one row for each. */
export default createConfig({
  database: { kind: "pglite", directory: required("BARE_FOLDER") },
  // The URL is repeated as in the indexer, because Ponder limits the requests to each RPC URL.
  chains: { hearth: { id: 31_337, rpc: Array(25).fill(required("RPC_URL")), pollingInterval: 200 } },
  contracts: {
    Vouchers: {
      abi: vouchersAbi,
      chain: "hearth",
      address: required("VOUCHERS") as `0x${string}`,
      startBlock: Number(required("START_BLOCK")),
    },
  },
});
