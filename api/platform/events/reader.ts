import { type Abi, type Hex, type Log, parseEventLogs } from "viem";
import { storable } from "../../../wire/src/chain-values.ts";
import { abis, type Chain } from "../chain/index.ts";
import { type Described, isAfter, type RecordedEvent, type SchemeEvent } from "./types.ts";

const sources = [
  "participants",
  "certificates",
  "vouchers",
  "claims",
  "campaigns",
  "pool",
  "itmo",
  "authorizations",
  "invalidationBuffer",
] as const;
export type MinedLog = Log & { blockNumber: bigint; blockHash: Hex; logIndex: number; transactionHash: Hex };
export type ParsedLog = MinedLog & { eventName: string; args: unknown };

/** Converts one log to events; none for a log that is not for subscribers. */
export type DescribeLog = (log: ParsedLog) => Promise<Described[]>;

/** Reads the events that were recorded in the database for a range of blocks, both ends included, in an order that never changes. */
export type ReadRecorded = (fromBlock: bigint, toBlock: bigint) => Promise<RecordedEvent[]>;

/** Place of recorded events in their block: after every log. */
const AFTER_LOGS = 999_999_999;

/** Blocks in one query to the node. */
export const BLOCKS_PER_READ = 2_000n;

/** Reads events from the chain's logs and from the database. */
export class EventReader {
  readonly #chain: Chain;
  readonly #describeLog: DescribeLog;
  readonly #readRecorded: ReadRecorded;

  constructor(chain: Chain, describe: DescribeLog, readRecorded: ReadRecorded) {
    this.#chain = chain;
    this.#describeLog = describe;
    this.#readRecorded = readRecorded;
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
    const recorded = await this.#recorded(fromBlock, toBlock);
    if (recorded.length === 0) return events;
    return [...events, ...recorded].sort((a, b) => (isAfter(a.position, b.position) ? 1 : -1));
  }

  async #recorded(fromBlock: bigint, toBlock: bigint): Promise<SchemeEvent[]> {
    const found: SchemeEvent[] = [];
    for (const { id, block, type, occurredAt, parties, data } of await this.#readRecorded(fromBlock, toBlock)) {
      const { hash } = await this.#chain.client.getBlock({ blockNumber: block });
      const item = found.filter(({ position }) => position.block === block).length;
      const position = { block, log: AFTER_LOGS, item, blockHash: hash };
      found.push({ id, position, type, occurredAt, transactionHash: null, parties, data });
    }
    return found;
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
    const [parsed] = parseEventLogs({ abi: abis[source] as Abi, logs: [log] });
    return parsed && (storable(parsed) as unknown as ParsedLog);
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
