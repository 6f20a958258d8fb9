import {
  type Abi,
  type ContractEventArgs,
  type ContractEventName,
  type GetContractEventsReturnType,
  getContract,
} from "viem";
import { certificatesAbi } from "../../deployments/abi/certificates.ts";
import { participantsAbi } from "../../deployments/abi/participants.ts";
import type { Chain } from "../chain/chain.ts";
import { type Abis, abis } from "../chain/contracts.ts";

type Contract = "participants" | "certificates";
type PastEvents<C extends Contract, E extends ContractEventName<Abis[C]>> = GetContractEventsReturnType<
  Abis[C],
  E,
  true
>;

/** The registry's two contracts, for reading: their functions (`read`) and their past events. */
export function openLedger({ client, addresses, startBlock }: Pick<Chain, "client" | "addresses" | "startBlock">) {
  return {
    participants: getContract({ abi: participantsAbi, address: addresses.participants, client }),
    certificates: getContract({ abi: certificatesAbi, address: addresses.certificates, client }),
    /** Past events with the given indexed arguments, oldest first. Each search names one participant, so it finds few. */
    async past<C extends Contract, E extends ContractEventName<Abis[C]>>(
      contract: C,
      eventName: E,
      args: ContractEventArgs<Abis[C], E>,
    ): Promise<PastEvents<C, E>> {
      const filter = { abi: abis[contract] as Abi, address: addresses[contract], eventName: eventName as string, args };
      const range = { fromBlock: startBlock, toBlock: "latest", strict: true } as const;
      return (await client.getContractEvents({ ...filter, ...range } as never)) as unknown as PastEvents<C, E>;
    },
    /** When a block was made, chain time. */
    timeOf: async (blockNumber: bigint): Promise<Date> =>
      new Date(Number((await client.getBlock({ blockNumber })).timestamp) * 1000),
  };
}
export type Ledger = ReturnType<typeof openLedger>;
