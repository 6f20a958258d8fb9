import {
  decodeConversionId,
  decodeItmoBlockId,
  encodeConversionId,
  encodeItmoBlockId,
} from "../../../../wire/src/ids.ts";
import {
  type ItmoUnits,
  itmoBlockIdOf,
  itmoUniqueId,
  readItmoSerial,
  readItmoUniqueId,
} from "../../../../wire/src/itmo-ids.ts";
import type { DecodedEvent } from "../../../platform/chain/index.ts";
import type { AppError } from "../../../platform/errors.ts";
import { decodeCursor, encodeCursor, foreignCursor } from "../../../platform/http/index.ts";
import { jsonScaled } from "../../../platform/values/numbers.ts";
import { implementerDidOf } from "../access.ts";
import { purposeOfUnits, readReductionState } from "../authorizations/reduction-state.ts";
import { filterOf } from "../conversions/conversions.ts";
import type { ItmoDeps } from "../deps.ts";
import { describeAction } from "../describe-action.ts";
import { ruleError } from "../errors.ts";
import type { BlockState } from "../ledger.ts";
import type { ApproachRow, AuthorizationRow } from "../tables.ts";
import type { ItmoAction, ItmoBlock, ItmoBlockHistory, ItmoBlockQuery } from "./schemas.ts";

/** Most blocks that one page examines if a filter excludes most of them; the next page continues there. */
const MOST_LOOKED_AT = 2_000;

/** A block with its authorization and cooperative approach. */
export type KnownBlock = { block: BlockState; authorization: AuthorizationRow; approach: ApproachRow };

/** Read a block with its history. @throws AppError NOT_FOUND */
export async function getBlock(deps: ItmoDeps, blockId: string): Promise<ItmoBlockHistory> {
  const known = await findBlock(deps, blockId);
  const { ledger } = deps.itmo;
  const [shown, events, ancestors] = await Promise.all([
    serializeBlock(deps, known),
    ledger.actionsOf(known.block),
    ledger.ancestorsOf(known.block.id),
  ]);
  const actions = events.map(async (event) => {
    const at = await deps.registry.ledger.timeOf(event.blockNumber);
    return serializeAction(event.args, { at, transactionHash: event.transactionHash, blockNumber: event.blockNumber });
  });
  const [parent] = ancestors;
  const splitFrom = parent === undefined ? null : encodeItmoBlockId(parent);
  return { ...shown, splitFrom, actions: await Promise.all(actions) };
}

/**
 * Find the block that a public id, a unique id or a serial names, in its current state.
 * @throws AppError NOT_FOUND, also for serials that do not make up one current block
 */
export async function findBlock(deps: ItmoDeps, text: string): Promise<KnownBlock> {
  const decoded = decodeItmoBlockId(text);
  const { ledger } = deps.itmo;
  const block = decoded.ok ? await ledger.blockState(decoded.id) : await blockNamed(deps, text);
  if (block === null) throw blockNotFound();
  return withTerms(deps, block);
}

/** List blocks in the order of their conversions and serials. A short page may have a next page. */
export async function listBlocks(deps: ItmoDeps, query: ItmoBlockQuery) {
  const { itmo } = deps;
  const position = positionOf(query.cursor);
  const filter = await filterOf(deps, { ...query, status: "finalised" });
  if (filter === null) return { items: [], nextCursor: null };
  await itmo.catchUp();
  if (query.conversionId !== undefined) filter.conversion = numberOf(query.conversionId);
  const found: BlockState[] = [];
  let looked = 0;
  for (let after = position.conversion - 1; ; ) {
    const [row] = await itmo.stores.conversions.listAfter(after, 1, filter);
    if (row === undefined) return serializePage(deps, found, null);
    after = row.conversion;
    const from = after === position.conversion ? position.from : undefined;
    for (const block of await itmo.blocksOf(after, from, MOST_LOOKED_AT + 1)) {
      if (found.length === query.limit || looked === MOST_LOOKED_AT) {
        return serializePage(deps, found, encodeCursor([after, `${block.firstId}`]));
      }
      looked += 1;
      if (isWanted(block, query)) found.push(block);
    }
  }
}

async function serializePage(deps: ItmoDeps, blocks: BlockState[], nextCursor: string | null) {
  const items = await Promise.all(blocks.map(async (block) => serializeBlock(deps, await withTerms(deps, block))));
  return { items, nextCursor };
}

export async function withTerms(deps: ItmoDeps, block: BlockState): Promise<KnownBlock> {
  const { itmo } = deps;
  const authorization = await itmo.authorizations.byIndex(block.authorization);
  const approach = authorization && (await itmo.approaches.byIndex(authorization.approach));
  if (!authorization || !approach) throw new Error(`The chain knows no authorization ${block.authorization}.`);
  return { block, authorization, approach };
}

export async function serializeBlock(deps: ItmoDeps, known: KnownBlock): Promise<ItmoBlock> {
  const { block, authorization, approach } = known;
  const [request, left] = await Promise.all([
    deps.itmo.conversion(block.conversion),
    readReductionState(deps, authorization),
  ]);
  const isFirstTransferred = block.firstTransfer !== null;
  const implementerDid = request && (await implementerDidOf(deps, request.implementer));
  return {
    blockId: encodeItmoBlockId(block.id),
    uniqueId: itmoUniqueId(unitsOf(known)),
    conversionId: encodeConversionId(BigInt(block.conversion)),
    status: block.status,
    implementerDid: implementerDid || null,
    cooperativeApproachId: approach.cooperativeApproachId,
    authorizationId: authorization.authorizationId,
    firstTransferringPartyId: approach.firstTransferringPartyId,
    itmoRegistryId: block.registryId,
    firstId: `${block.firstId}`,
    lastId: `${block.lastId}`,
    quantity: jsonScaled(block.lastId - block.firstId + 1n, 0),
    vintage: block.vintage,
    partyId: block.party === "" ? null : block.party,
    firstTransfer: block.firstTransfer,
    authorizationStatus: isFirstTransferred ? "first-transferred" : left.status,
    authorizedPurpose: isFirstTransferred ? authorization.purpose : purposeOfUnits(left),
  };
}

type ActionArgs = DecodedEvent<"itmo", "ItmoAction">["args"];

export function serializeAction(
  args: ActionArgs,
  { at, transactionHash, blockNumber }: { at: Date; transactionHash: string; blockNumber: bigint },
): ItmoAction {
  return { ...describeAction(args), at: at.toISOString(), transactionHash, blockNumber: Number(blockNumber) };
}

function unitsOf({ block, approach }: KnownBlock): ItmoUnits {
  const { cooperativeApproachId, firstTransferringPartyId } = approach;
  const { registryId, firstId, lastId, vintage } = block;
  return { cooperativeApproachId, firstTransferringPartyId, registryId, firstId, lastId, vintage };
}

async function blockNamed(deps: ItmoDeps, text: string): Promise<BlockState | null> {
  const { itmo } = deps;
  const units = readItmoUniqueId(text);
  const serial = units === null ? readItmoSerial(text) : { registryId: units.registryId, serial: units.firstId };
  const minted = serial && (await itmo.conversionWith(serial.registryId, serial.serial));
  if (!minted || serial === null) return null;
  const { conversion, firstId } = minted;
  if (units === null) return itmo.ledger.blockWith(conversion, BigInt(firstId ?? 0), serial.serial);
  const block = await itmo.ledger.blockState(itmoBlockIdOf(conversion, units.firstId));
  return block !== null && itmoUniqueId(unitsOf(await withTerms(deps, block))) === text ? block : null;
}

function isWanted(block: BlockState, { status, partyId }: ItmoBlockQuery): boolean {
  return (status === undefined || block.status === status) && (partyId === undefined || block.party === partyId);
}

function positionOf(cursor: string | undefined): { conversion: number; from: bigint | undefined } {
  const [conversion, from] = decodeCursor(cursor, 2) ?? [];
  if (conversion === undefined) return { conversion: 1, from: undefined };
  if (typeof conversion !== "number" || conversion < 1 || !/^[1-9]\d{0,19}$/.test(`${from}`)) throw foreignCursor();
  return { conversion, from: BigInt(`${from}`) };
}

/** Decode a conversion's number; 0, which matches none, for a malformed id. */
function numberOf(conversionId: string): number {
  const decoded = decodeConversionId(conversionId);
  return decoded.ok ? Number(decoded.id) : 0;
}

export function blockNotFound(): AppError {
  const message = "There is no such block, or not any more: an action on a part splits a block.";
  return ruleError("NOT_FOUND", "blockId", "block-exists", message);
}
