import { type Abi, type Hex, type Log, parseEventLogs } from "viem";
import { abis, type Chain } from "../chain/index.ts";
import type { Described, SchemeEvent } from "./types.ts";

const sources = [
  "participants",
  "certificates",
  "vouchers",
  "claims",
  "campaigns",
  "pool",
  "itmo",
  "authorizations",
] as const;
export type MinedLog = Log & { blockNumber: bigint; blockHash: Hex; logIndex: number; transactionHash: Hex };
export type ParsedLog = MinedLog & { eventName: string; args: unknown };

/** Converts one log to events; none for a log that is not for subscribers. */
export type DescribeLog = (log: ParsedLog) => Promise<Described[]>;

/** Blocks in one query to the node. */
export const BLOCKS_PER_READ = 2_000n;

/** Reads events from the chain's logs, their only source. */
export class EventReader {
  readonly #chain: Chain;
  readonly #describeLog: DescribeLog;

  constructor(chain: Chain, describe: DescribeLog) {
    this.#chain = chain;
    this.#describeLog = describe;
  }

  /** Read the events of a range of blocks, both ends included, in the chain's order. The caller splits large ranges. */
  async read(fromBlock: bigint, toBlock: bigint): Promise<SchemeEvent[]> {
    const { client, addresses } = this.#chain;
    const address = sources.map((source) => addresses[source]);
    const logs = (await client.getLogs({ address, fromBlock, toBlock })) as MinedLog[];
    const times = new Map<bigint, Promise<Date>>();
    const events: SchemeEvent[] = [];
    const ordinals = new Map<Hex, number>();
    for (const log of logs) {
      const ordinal = ordinals.get(log.transactionHash) ?? 0;
      ordinals.set(log.transactionHash, ordinal + 1);
      const parsed = this.#parse(log);
      if (parsed) events.push(...(await this.#describe(parsed, ordinal, times)));
    }
    return events;
  }

  /** Check whether the chain still has the block; after a rewind or reorganisation it has another one or none. */
  async stands(block: bigint, shortHash: string): Promise<boolean> {
    const head = await this.#chain.latest();
    if (block > head.number) return false;
    const { hash } = await this.#chain.client.getBlock({ blockNumber: block });
    return hash.startsWith(shortHash);
  }

  #parse(log: MinedLog): ParsedLog | undefined {
    const source = sources.find((name) => this.#chain.addresses[name].toLowerCase() === log.address.toLowerCase());
    if (!source) return undefined;
    return parseEventLogs({ abi: abis[source] as Abi, logs: [log] })[0] as unknown as ParsedLog | undefined;
  }

  async #describe(log: ParsedLog, ordinal: number, times: Map<bigint, Promise<Date>>): Promise<SchemeEvent[]> {
    const described = await this.#describeLog(log);
    if (described.length === 0) return [];
    const { blockNumber, blockHash, transactionHash } = log;
    const time = times.get(blockNumber) ?? this.#timeOf(blockNumber);
    times.set(blockNumber, time);
    const occurredAt = await time;
    return described.map(({ type, parties, data }, item) => ({
      id: `evt_${transactionHash.slice(2)}_${ordinal}_${item}`,
      position: { block: blockNumber, log: log.logIndex, item, blockHash },
      type,
      occurredAt,
      transactionHash,
      parties,
      data,
    }));
  }

  async #timeOf(blockNumber: bigint): Promise<Date> {
    return new Date(Number((await this.#chain.client.getBlock({ blockNumber })).timestamp) * 1000);
  }
}
