import type { Abi, ContractEventName } from "viem";
import type { Chain } from "../chain.ts";
import { type Abis, abis, type ContractName } from "../contracts.ts";
import type { PastEvents } from "./past.ts";

type Source = Pick<Chain, "client" | "addresses" | "pastParts" | "startBlock">;

/**
 * Create a reader of one event of a contract.
 * @returns a function that returns the events up to a block that it has not returned before, oldest first
 */
export function newEventReader<C extends ContractName, E extends ContractEventName<Abis[C]>>(
  { client, addresses, pastParts, startBlock }: Source,
  contract: C,
  eventName: E,
): (latest: bigint) => Promise<PastEvents<C, E>> {
  const filter = { abi: abis[contract] as Abi, address: addresses[contract], eventName: eventName as string };
  const ask = (fromBlock: bigint, toBlock: bigint) =>
    client.getContractEvents({ ...filter, fromBlock, toBlock, strict: true });
  let readTo = startBlock - 1n;
  return async (latest) => {
    if (latest <= readTo) return [];
    const isFirst = readTo < startBlock;
    const events = isFirst
      ? await pastParts((from, to) => ask(from, to === "latest" ? latest : to))
      : await ask(readTo + 1n, latest);
    readTo = latest;
    return events as never;
  };
}
