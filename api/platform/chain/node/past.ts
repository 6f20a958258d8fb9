import {
  type Abi,
  BaseError,
  type ContractEventArgs,
  type ContractEventName,
  type GetContractEventsReturnType,
  HttpRequestError,
  type PublicClient,
  RpcRequestError,
  TimeoutError,
} from "viem";
import { storable } from "../../../../wire/src/chain-values.ts";
import { type Abis, type Addresses, abis, type ContractName } from "../contracts.ts";

export type PastEvents<C extends ContractName, E extends ContractEventName<Abis[C]>> = GetContractEventsReturnType<
  Abis[C],
  E,
  true
>;

/** Finds past events of a contract by indexed arguments, oldest first. Search for one record at a time, so that results are few. */
export type PastReader = <C extends ContractName, E extends ContractEventName<Abis[C]>>(
  contract: C,
  eventName: E,
  args: ContractEventArgs<Abis[C], E>,
) => Promise<PastEvents<C, E>>;

/** Calls `ask` for ranges of blocks that cover the whole chain, and joins its results in block order. */
export type PartReader = <T>(ask: (fromBlock: bigint, toBlock: bigint | "latest") => Promise<T[]>) => Promise<T[]>;

/**
 * Create a reader that searches from the deployment's block on: in one query where the node allows it, else in ranges. Nodes limit
 * the blocks or the results of a query, with different errors. So a refused range is halved, and the next ones grow again.
 */
export function createPartReader(client: PublicClient, startBlock: bigint): PartReader {
  /** Size in blocks of the last range that the node accepted; undefined while it accepts the whole chain. */
  let span: bigint | undefined;
  return async <T>(ask: (fromBlock: bigint, toBlock: bigint | "latest") => Promise<T[]>) => {
    if (span === undefined) {
      try {
        return await ask(startBlock, "latest");
      } catch (error) {
        if (!isRefusal(error)) throw error;
      }
    }
    const head = await client.getBlockNumber({ cacheTime: 0 });
    const found: T[] = [];
    let size = span ?? atLeastOne((head - startBlock + 1n) / 2n);
    for (let from = startBlock; from <= head; ) {
      const to = from + size - 1n < head ? from + size - 1n : head;
      try {
        found.push(...(await ask(from, to)));
        span = size;
        from = to + 1n;
        size += atLeastOne(size / 8n);
      } catch (error) {
        if (size === 1n || !isRefusal(error)) throw error;
        size = atLeastOne(size / 2n);
      }
    }
    return found;
  };
}

export function createPastReader(client: PublicClient, addresses: Addresses, inParts: PartReader): PastReader {
  return async (contract, eventName, args) => {
    const filter = { abi: abis[contract] as Abi, address: addresses[contract], eventName: eventName as string, args };
    const events = await inParts((fromBlock, toBlock) =>
      client.getContractEvents({ ...filter, fromBlock, toBlock, strict: true } as never),
    );
    return storable(events) as never;
  };
}

const atLeastOne = (blocks: bigint): bigint => (blocks > 1n ? blocks : 1n);

/** HTTP statuses that a smaller range would get too: no access, not found, or too many requests. */
const notForSize = new Set([401, 403, 404, 429]);

/** Check whether the node refused the query or took too long, so that a smaller range may succeed. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false;
  const cause = error.walk(
    (each) => each instanceof RpcRequestError || each instanceof HttpRequestError || each instanceof TimeoutError,
  );
  if (cause instanceof HttpRequestError) return cause.status !== undefined && !notForSize.has(cause.status);
  return cause !== null;
}
