import { setTimeout as sleep } from "node:timers/promises";
import type { EIP1193RequestFn, Transport } from "viem";

/** How long nodes count as different after one lacked a block that another had, in milliseconds. */
const differMs = 600_000;
/** Pauses before a request is sent again to nodes that lack the newest known block, in milliseconds. */
const pausesMs = [50, 100, 200, 400, 800, 1_500];
/** How many requests in a row must find the newest known block nowhere before it counts as one that does not exist. */
const missesBeforeReturn = 3;
/** Methods that read a block or a state, with the place of the block among their parameters. */
const blockPlace: Record<string, number> = {
  eth_call: 1,
  eth_estimateGas: 1,
  eth_getBalance: 1,
  eth_getBlockByNumber: 0,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
};
/** How nodes say that they lack a block. */
const lacksBlock =
  /header not found|unknown block|block not found|block .*not (found|available)|block ?height|out of ?range|invalid block|resource not found|missing trie node/i;

type Request = { method: string; params?: unknown };

/**
 * The newest block that any node has shown. Nodes behind one URL, or in one list, differ by some blocks. Reading from one that is
 * behind would make a write that was acknowledged disappear for a moment.
 */
export class NewestBlock {
  #number = 0n;
  #differUntil = 0;
  #misses = 0;

  get number(): bigint {
    return this.#number;
  }

  /** True for a while after a node has lacked a block that another had. */
  get nodesDiffer(): boolean {
    return performance.now() < this.#differUntil;
  }

  /** A node has shown this as its latest block. */
  see(number: bigint): void {
    if (number < this.#number) this.#differUntil = performance.now() + differMs;
    this.hold(number);
  }

  /** A node has this block, and perhaps later ones. */
  hold(number: bigint): void {
    if (number > this.#number) this.#number = number;
  }

  /** The chain itself went back. */
  goBackTo(number: bigint): void {
    this.#number = number;
    this.#misses = 0;
  }

  /** A node had the block that a request named. Only the newest one shows that there is a node which has it. */
  hit(number: bigint): void {
    if (number === this.#number) this.#misses = 0;
  }

  /**
   * No node has had the block that a request named; `shown` is the latest one that a node has. A node may have told of a block that
   * does not exist, for which every further request would wait.
   */
  miss(shown: bigint): void {
    this.#misses++;
    if (this.#misses >= missesBeforeReturn) this.goBackTo(shown);
  }
}

/** Read from the newest known block while nodes differ, and wait for a node that has the block that a request names. */
export function steadyTransport(inner: Transport, newest: NewestBlock): Transport {
  return (parameters) => {
    const transport = inner(parameters);
    const send = async (request: Request): Promise<unknown> => {
      const result: unknown = await transport.request(request as never);
      note(newest, request, result);
      return result;
    };
    const request = async (given: Request) => {
      const named = await nameBlock(given, newest, send);
      if (named === undefined) return await send(given);
      for (const pauseMs of pausesMs) {
        try {
          const result = await send(named);
          // Some nodes answer null for a block that they lack.
          if (result !== null) {
            newest.hit(blockOf(named));
            return result;
          }
        } catch (error) {
          if (!lacksBlock.test(textOf(error))) throw error;
        }
        await sleep(pauseMs);
      }
      const shown = BigInt((await send({ method: "eth_blockNumber" })) as string);
      if (shown < blockOf(named)) newest.miss(shown);
      return await send(given);
    };
    return { ...transport, request: request as EIP1193RequestFn };
  };
}

/** The request with the number of a block that some node has; undefined when it needs none. */
async function nameBlock(
  { method, params }: Request,
  newest: NewestBlock,
  send: (request: Request) => Promise<unknown>,
): Promise<Request | undefined> {
  const place = blockPlace[method];
  if (place === undefined) return undefined;
  const block = (params as unknown[])[place];
  if (typeof block === "string" && block.startsWith("0x")) {
    return BigInt(block) <= newest.number ? { method, params } : undefined;
  }
  if (block !== "latest" || method === "eth_getBlockByNumber" || !newest.nodesDiffer) return undefined;
  await send({ method: "eth_blockNumber" });
  return { method, params: (params as unknown[]).with(place, `0x${newest.number.toString(16)}`) };
}

/** The block that a request names by its number. */
function blockOf({ method, params }: Request): bigint {
  return BigInt((params as string[])[blockPlace[method] ?? 0] ?? 0);
}

/** Note which blocks a result shows. */
function note(newest: NewestBlock, { method, params }: Request, result: unknown): void {
  if (method === "eth_blockNumber") newest.see(BigInt(result as string));
  const { number, blockNumber } = (result ?? {}) as { number?: string; blockNumber?: string };
  if (method === "eth_getBlockByNumber" && (params as unknown[])[0] === "latest" && number) newest.see(BigInt(number));
  if (method === "eth_getTransactionReceipt" && blockNumber) newest.hold(BigInt(blockNumber));
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const details = "details" in error ? String(error.details) : "";
  return `${error.message} ${details}`;
}
