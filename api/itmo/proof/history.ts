import { type Hex, numberToHex, parseEventLogs, type RpcLog, toEventSelector } from "viem";
import { itmoAbi } from "../../../deployments/abi/itmo.ts";
import { decodeItmoBlockId } from "../../../indexer/schema/ids.ts";
import {
  type ItmoUnits,
  itmoBlockIdOf,
  partsOfItmoBlock,
  readItmoSerial,
  readItmoUniqueId,
} from "../../../indexer/schema/itmo-ids.ts";
import { codeBytes, codeText } from "../../../indexer/schema/itmo-words.ts";
import type { Chain } from "../../chain/chain.ts";
import { AppError } from "../../errors.ts";

/** Where the chain says something of units, and the serials that it says it of. */
export type HistoryEvent = {
  blockHash: Hex;
  blockNumber: bigint;
  transactionHash: Hex;
  transactionIndex: number;
  /** Among the logs of the block. */
  logIndex: number;
  firstId: bigint;
  lastId: bigint;
};

type HistoryChain = Pick<Chain, "client" | "addresses" | "past" | "pastParts" | "read">;
type Asked = {
  conversion: number;
  firstId: bigint;
  lastId: bigint;
  block: bigint | undefined;
  units: ItmoUnits | undefined;
};

const eventNames = ["BlockMinted", "BlockSplit", "ItmoAction"] as const;
const selectors = itmoAbi.flatMap((item) =>
  item.type === "event" && eventNames.some((name) => name === item.name) ? [toEventSelector(item)] : [],
);

/**
 * The minting and the actions that units have seen, oldest first: those of their block, and before it was cut out of another one,
 * that one's.
 * @param id a block's public id, the units' unique id, or one serial (`ZMB01-17`)
 * @throws AppError NOT_FOUND
 */
export async function historyOf(chain: HistoryChain, id: string): Promise<HistoryEvent[]> {
  const asked = await readId(chain, id);
  const minted = asked && (await mintingOf(chain, asked));
  if (!asked || minted === undefined) throw notFound(id);
  const found: HistoryEvent[] = [];
  for (let block = minted; ; ) {
    const { events, rest } = await eventsBeforeCut(chain, block, asked.firstId);
    found.push(...events);
    if (rest === undefined) {
      if (asked.block !== undefined && asked.block !== block) throw notFound(id);
      break;
    }
    block = rest;
  }
  return found.filter(({ firstId, lastId }) => firstId <= asked.firstId && asked.lastId <= lastId);
}

async function readId(chain: HistoryChain, id: string): Promise<Asked | undefined> {
  const decoded = decodeItmoBlockId(id);
  if (decoded.ok) {
    const { conversion, firstId } = partsOfItmoBlock(decoded.id);
    return { conversion, firstId, lastId: firstId, block: decoded.id, units: undefined };
  }
  const units = readItmoUniqueId(id) ?? undefined;
  const serial = readItmoSerial(id);
  const registryId = units?.registryId ?? serial?.registryId;
  const firstId = units?.firstId ?? serial?.serial;
  if (registryId === undefined || firstId === undefined) return undefined;
  const conversion = await chain.read("itmo", "serialPredecessor", [codeBytes(registryId), firstId]);
  return { conversion, firstId, lastId: units?.lastId ?? firstId, block: undefined, units };
}

/** The block that the units were minted in; undefined when they never were. */
async function mintingOf(chain: HistoryChain, { conversion, firstId, lastId, units }: Asked) {
  if (conversion === 0) return undefined;
  const [event] = await chain.past("itmo", "BlockMinted", { conversion });
  if (event === undefined) return undefined;
  const minted = event.args.units;
  if (firstId < minted.firstId || lastId > minted.lastId) return undefined;
  const isSame =
    units === undefined ||
    (units.cooperativeApproachId === codeText(minted.approachId) &&
      units.firstTransferringPartyId === codeText(minted.firstTransferringParty) &&
      units.vintage === minted.vintage);
  return isSame ? itmoBlockIdOf(conversion, minted.firstId) : undefined;
}

/** What was said of a block as long as it held a serial, and the block that was then cut off with it. */
async function eventsBeforeCut(chain: HistoryChain, block: bigint, serial: bigint) {
  const events: HistoryEvent[] = [];
  for (const log of await readLogs(chain, block)) {
    if (log.eventName === "BlockSplit") {
      const { rest } = log.args;
      if (partsOfItmoBlock(rest).firstId <= serial) return { events, rest };
      continue;
    }
    const { firstId, lastId } = log.args.units;
    const { blockHash, blockNumber, transactionHash, transactionIndex, logIndex } = log;
    events.push({ blockHash, blockNumber, transactionHash, transactionIndex, logIndex, firstId, lastId });
  }
  return { events, rest: undefined };
}

async function readLogs(chain: HistoryChain, block: bigint) {
  // The block's number is the first indexed argument of all three.
  const topics = [selectors, numberToHex(block, { size: 32 })];
  const raw = await chain.pastParts((fromBlock, toBlock) => {
    const range = { fromBlock: numberToHex(fromBlock), toBlock: toBlock === "latest" ? toBlock : numberToHex(toBlock) };
    const filter = { address: chain.addresses.itmo, topics, ...range };
    return chain.client.request({ method: "eth_getLogs", params: [filter] });
  });
  return parseEventLogs({ abi: itmoAbi, eventName: [...eventNames], logs: raw as RpcLog[] });
}

function notFound(id: string): AppError {
  const decoded = decodeItmoBlockId(id);
  const isTypo = !decoded.ok && decoded.reason === "checksum";
  const hint = isTypo ? " Its check symbol does not fit: was it mistyped?" : "";
  return new AppError("NOT_FOUND", `There is no block of ITMOs ${id}.${hint}`);
}
