import { type Address, decodeEventLog, type Hex, type Log, type PublicClient, zeroHash } from "viem";
import { councilAbi } from "../../../deployments/abi/council.ts";
import { timelockAbi } from "../../../deployments/abi/timelock.ts";
import { type Chain, createPartReader } from "../../platform/chain/index.ts";
import { type Operation, operationId } from "./operations.ts";

/** A position on chain. `time` is the block's, in seconds. */
export type Mark = { transactionHash: Hex; blockNumber: bigint; time: bigint };

/** An operation of the timelock, from its events. After a cancellation it may be scheduled again. */
export type PastOperation = {
  id: Hex;
  operation: Operation;
  scheduled: Mark;
  cancelled?: Mark;
  executed?: Mark;
};

export type CouncilHistory = {
  operations: Map<Hex, PastOperation>;
  /** The Safe's executed transactions, by hash. */
  done: Map<Hex, Mark>;
};

/** The newest blocks, which are read again each time: a reorganisation may still change them. */
const UNSETTLED = 64n;
const wanted = new Set(["CallScheduled", "CallSalt", "CallExecuted", "Cancelled", "ExecutionSuccess"]);
const abi = [...timelockAbi, ...councilAbi].filter((item) => item.type === "event" && wanted.has(item.name));

type Settled = { block: bigint; hash: Hex; logs: Log<bigint, number, false>[] };

/** Reads the events of timelock and Safe. Events of old blocks are cached; each request reads only the newest ones. */
export class HistoryReader {
  readonly #client: PublicClient;
  readonly #addresses: Address[];
  readonly #startBlock: bigint;
  #settled: Settled | undefined;
  readonly #times = new Map<Hex, bigint>();

  constructor({ client, contracts, startBlock }: Pick<Chain, "client" | "contracts" | "startBlock">) {
    this.#client = client;
    this.#addresses = [contracts.timelock, contracts.council];
    this.#startBlock = startBlock;
  }

  /** Read the history up to a block, by default the latest. */
  async read(block?: bigint): Promise<CouncilHistory> {
    await this.#forgetLostBlocks();
    const head = block ?? (await this.#client.getBlockNumber({ cacheTime: 0 }));
    const from = this.#settled === undefined ? this.#startBlock : this.#settled.block + 1n;
    const inParts = createPartReader(this.#client, from);
    const found =
      from > head
        ? []
        : await inParts((fromBlock, toBlock) => this.#client.getLogs({ address: this.#addresses, fromBlock, toBlock }));
    const logs = [...(this.#settled?.logs ?? []), ...found.filter(({ blockNumber }) => blockNumber <= head)];
    await this.#settle(logs, head);
    return await this.#replay(logs);
  }

  /** Clear the cache if the chain was rewound or reorganised deeper than usual; everything is then read again. */
  async #forgetLostBlocks(): Promise<void> {
    if (this.#settled === undefined) return;
    const { block, hash } = this.#settled;
    const now = await this.#client.getBlock({ blockNumber: block }).catch(() => undefined);
    if (now?.hash !== hash) this.#settled = undefined;
  }

  async #settle(logs: Log<bigint, number, false>[], head: bigint): Promise<void> {
    const block = head - UNSETTLED;
    if (block <= (this.#settled?.block ?? this.#startBlock)) return;
    const { hash } = await this.#client.getBlock({ blockNumber: block });
    this.#settled = { block, hash, logs: logs.filter((log) => log.blockNumber <= block) };
  }

  async #replay(logs: Log<bigint, number, false>[]): Promise<CouncilHistory> {
    const history: CouncilHistory = { operations: new Map(), done: new Map() };
    for (const log of logs) {
      const event = readEvent(log);
      if (event === undefined) continue;
      const { transactionHash, blockNumber, blockHash } = log;
      const time = await this.#timeOf(blockHash);
      apply(history, event, { transactionHash, blockNumber, time });
    }
    for (const past of history.operations.values()) {
      // A batch of one call and a single call differ only by their ids.
      if (operationId(past.operation) !== past.id) past.operation.batch = true;
    }
    return history;
  }

  async #timeOf(blockHash: Hex): Promise<bigint> {
    const known = this.#times.get(blockHash);
    if (known !== undefined) return known;
    const { timestamp } = await this.#client.getBlock({ blockHash });
    this.#times.set(blockHash, timestamp);
    return timestamp;
  }
}

type Event = { eventName: string; args: Record<string, unknown> };

function readEvent({ data, topics }: Log): Event | undefined {
  try {
    return decodeEventLog({ abi, data, topics }) as unknown as Event;
  } catch {
    // Not an event about decisions.
    return undefined;
  }
}

function apply({ operations, done }: CouncilHistory, { eventName, args }: Event, mark: Mark): void {
  if (eventName === "ExecutionSuccess") {
    done.set(args.txHash as Hex, mark);
    return;
  }
  const id = args.id as Hex;
  const past = operations.get(id);
  if (eventName === "CallScheduled") {
    const call = { target: args.target as Address, value: args.value as bigint, data: args.data as Hex };
    if (past !== undefined && args.index !== 0n) {
      past.operation.calls.push(call);
      past.operation.batch = true;
      return;
    }
    const { predecessor, delay } = args as { predecessor: Hex; delay: bigint };
    operations.set(id, {
      id,
      operation: { calls: [call], predecessor, salt: zeroHash, delay, batch: false },
      scheduled: mark,
    });
  } else if (past === undefined) return;
  else if (eventName === "CallSalt") past.operation.salt = args.salt as Hex;
  else if (eventName === "Cancelled") past.cancelled = mark;
  else if (eventName === "CallExecuted") past.executed = mark;
}
