import { createConfig } from "ponder";
import { vouchersAbi } from "../../deployments/abi/vouchers.ts";

const required = (name: string): string => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
};

/** The least that a Ponder app can do with the same events: one event of one contract, one row for each. */
export default createConfig({
  database: { kind: "pglite", directory: required("BARE_FOLDER") },
  // Named often, like the indexer's own, so that neither waits for Ponder's care of strange RPC servers.
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
