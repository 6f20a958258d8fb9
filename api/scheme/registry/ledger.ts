import { getContract } from "viem";
import { certificatesAbi } from "../../../deployments/abi/certificates.ts";
import { participantsAbi } from "../../../deployments/abi/participants.ts";
import type { Chain } from "../../platform/chain/index.ts";

export type LedgerSource = Pick<Chain, "client" | "addresses" | "past">;

/** Open the registry's two contracts for reading: their functions (`read`) and their past events. */
export function openLedger({ client, addresses, past }: LedgerSource) {
  return {
    participants: getContract({ abi: participantsAbi, address: addresses.participants, client }),
    certificates: getContract({ abi: certificatesAbi, address: addresses.certificates, client }),
    past,
    /** Time of a block on chain. */
    timeOf: async (blockNumber: bigint): Promise<Date> =>
      new Date(Number((await client.getBlock({ blockNumber })).timestamp) * 1000),
  };
}
export type Ledger = ReturnType<typeof openLedger>;
