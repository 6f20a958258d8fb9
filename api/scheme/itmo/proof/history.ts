import type { Hex } from "viem";
import { codeText } from "../../../../wire/src/code-text.ts";
import { decodeItmoBlockId } from "../../../../wire/src/ids.ts";
import {
  type ItmoUnits,
  itmoBlockIdOf,
  partsOfItmoBlock,
  readItmoSerial,
  readItmoUniqueId,
} from "../../../../wire/src/itmo-ids.ts";
import type { Chain, DecodedEvent } from "../../../platform/chain/index.ts";
import { AppError } from "../../../platform/errors.ts";
import type { ItmoLedger } from "../ledger.ts";

/** Position of an event about units on the chain. */
export type HistoryEvent = {
  blockHash: Hex;
  blockNumber: bigint;
  transactionHash: Hex;
  transactionIndex: number;
  /** Index in the block's logs. */
  logIndex: number;
};

export type HistoryDeps = { chain: Pick<Chain, "past">; ledger: ItmoLedger };
type Asked = { conversion: number; firstId: bigint; lastId: bigint; units?: ItmoUnits };
type Minted = DecodedEvent<"itmo", "BlockMinted">["args"]["units"];

/**
 * List the minting and the actions of units, oldest first: those of their block and, before its split from another block,
 * those of the other.
 * @param id a block's public id, the unique id of units (also of some that were split since), or one serial (`ZMB01-17`)
 * @throws AppError NOT_FOUND
 */
export async function historyOf({ chain, ledger }: HistoryDeps, id: string): Promise<HistoryEvent[]> {
  const asked = await readId(ledger, id);
  const [minted] =
    asked.conversion === 0 ? [] : await chain.past("itmo", "BlockMinted", { conversion: asked.conversion });
  if (minted === undefined || !isWithin(asked, minted.args.units)) throw notFound(id);
  const { conversion, firstId, lastId } = asked;
  const named = await ledger.blockState(itmoBlockIdOf(conversion, firstId));
  // The id names serials inside a block: search the conversion's blocks.
  const isBlockId = decodeItmoBlockId(id).ok;
  const block = named ?? (isBlockId ? null : await ledger.blockWith(conversion, minted.args.units.firstId, firstId));
  if (block === null) throw notFound(id);
  const blockId = [block.id, ...(await ledger.ancestorsOf(block.id))];
  const actions = await chain.past("itmo", "ItmoAction", { blockId });
  // Later actions on the block that the units were split from concern other serials.
  const all = [minted, ...actions].filter(({ args }) => args.units.firstId <= firstId && lastId <= args.units.lastId);
  return all.sort((a, b) => Number(a.blockNumber - b.blockNumber) || a.logIndex - b.logIndex);
}

async function readId(ledger: ItmoLedger, id: string): Promise<Asked> {
  const decoded = decodeItmoBlockId(id);
  if (decoded.ok) {
    const { conversion, firstId } = partsOfItmoBlock(decoded.id);
    return { conversion, firstId, lastId: firstId };
  }
  const units = readItmoUniqueId(id);
  const serial = readItmoSerial(id);
  if (units !== null) {
    const conversion = await ledger.serialPredecessor(units.registryId, units.firstId);
    return { conversion, firstId: units.firstId, lastId: units.lastId, units };
  }
  if (serial === null) throw notFound(id);
  const conversion = await ledger.serialPredecessor(serial.registryId, serial.serial);
  return { conversion, firstId: serial.serial, lastId: serial.serial };
}

function isWithin({ firstId, lastId, units }: Asked, minted: Minted): boolean {
  if (firstId < minted.firstId || lastId > minted.lastId) return false;
  if (units === undefined) return true;
  return (
    units.cooperativeApproachId === codeText(minted.approachId) &&
    units.firstTransferringPartyId === codeText(minted.firstTransferringParty) &&
    units.vintage === minted.vintage
  );
}

function notFound(id: string): AppError {
  const decoded = decodeItmoBlockId(id);
  const isTypo = !decoded.ok && decoded.reason === "checksum";
  const hint = isTypo ? " Its check symbol does not fit: was it mistyped?" : "";
  return new AppError("NOT_FOUND", `There are no ITMOs ${id}.${hint}`);
}
