import type { Abi, ContractEventArgs, ContractEventName, GetContractEventsReturnType, PublicClient } from "viem";
import { type Abis, type Addresses, abis, type ContractName } from "./contracts.ts";

export type PastEvents<C extends ContractName, E extends ContractEventName<Abis[C]>> = GetContractEventsReturnType<
  Abis[C],
  E,
  true
>;

/** Past events of a contract by indexed arguments, oldest first. Each search should name one record, so that it finds few. */
export type PastReader = <C extends ContractName, E extends ContractEventName<Abis[C]>>(
  contract: C,
  eventName: E,
  args: ContractEventArgs<Abis[C], E>,
) => Promise<PastEvents<C, E>>;

export function createPastReader(client: PublicClient, addresses: Addresses, startBlock: bigint): PastReader {
  return async (contract, eventName, args) => {
    const filter = { abi: abis[contract] as Abi, address: addresses[contract], eventName: eventName as string, args };
    const range = { fromBlock: startBlock, toBlock: "latest", strict: true } as const;
    return (await client.getContractEvents({ ...filter, ...range } as never)) as never;
  };
}
