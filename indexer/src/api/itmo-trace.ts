import { db } from "ponder:api";
import {
  carbonMove,
  implementer,
  itmoAction,
  itmoAuthorization,
  itmoBlock,
  itmoConversion,
  itmoLot,
  supplier,
  swap,
} from "ponder:schema";
import { and, asc, eq, gt, gte, inArray, isNull, lt, lte, or, sql } from "ponder";
import { larger, smaller } from "../../lib/bigints.ts";
import { tonne } from "../../lib/lots.ts";
import type { Flow, Move, Span } from "./flow.ts";
import { serializeBlock, serializeConversion, serializeSwap } from "./serialize-itmo.ts";

export type Lot = typeof itmoLot.$inferSelect;
export type Swap = typeof swap.$inferSelect;
export type Conversion = typeof itmoConversion.$inferSelect;
export type Block = typeof itmoBlock.$inferSelect;
export type Action = typeof itmoAction.$inferSelect;

/** Serials of one conversion, both ends included. */
export type Serials = { conversionIndex: number; firstId: bigint; lastId: bigint };

/** Most related records of each kind that a trace shows in addition to its pages. */
const most = { lots: 1_000, releases: 100, conversions: 50, blocks: 200, actions: 1_000, swaps: 200 };

/** Compute the position of serials in their conversion's CARBON: the first serial is the first CARBON. */
export function spanOf(conversion: Conversion, serials: Pick<Serials, "firstId" | "lastId">): Span {
  const first = conversion.firstId ?? 0n;
  return {
    account: conversion.publicId,
    lo: (serials.firstId - first) * tonne,
    hi: smaller((serials.lastId - first + 1n) * tonne, conversion.amount),
  };
}

/** Read a page of the source lots of a part of a conversion, each cut to that part. */
export async function lotsWithin(
  index: number,
  { lo, hi }: Span,
  page: { after: bigint; limit: number },
): Promise<Lot[]> {
  const own = eq(itmoLot.conversionIndex, index);
  // The lot that covers the start is the last one that does not start after it.
  const begin = sql`coalesce((select max(b.start_offset) from ${itmoLot} b where b.conversion = ${index} and b.start_offset <= ${String(lo)}::numeric), 0)`;
  const rows = await db
    .select()
    .from(itmoLot)
    .where(and(own, gte(itmoLot.offset, begin), lt(itmoLot.offset, hi), gt(itmoLot.offset, page.after)))
    .orderBy(asc(itmoLot.offset))
    .limit(page.limit);
  return rows.map((row) => {
    const from = larger(row.offset, lo);
    return { ...row, offset: from, amount: smaller(row.offset + row.amount, hi) - from };
  });
}

/** Find the lots from redemptions, and from the unspent rests of vouchers. */
export async function lotsOf(redemptions: bigint[], vouchers: bigint[]): Promise<Lot[]> {
  const ofRests = and(inArray(itmoLot.voucherId, vouchers), isNull(itmoLot.redemptionId));
  const [spent, rests] = await Promise.all([
    redemptions.length === 0
      ? []
      : db.select().from(itmoLot).where(inArray(itmoLot.redemptionId, redemptions)).limit(most.lots),
    vouchers.length === 0 ? [] : db.select().from(itmoLot).where(ofRests).limit(most.lots),
  ]);
  return [...spent, ...rests].sort((a, b) => a.conversionIndex - b.conversionIndex || (a.offset < b.offset ? -1 : 1));
}

/** Find how the CARBON of redemptions, and of the unspent rests of vouchers, left escrow. */
export async function releasesOf(redemptions: bigint[], vouchers: bigint[]): Promise<Move[]> {
  const kind = eq(carbonMove.kind, "release");
  const ofRests = and(inArray(carbonMove.voucherId, vouchers), isNull(carbonMove.redemptionId), kind);
  const [spent, rests] = await Promise.all([
    redemptions.length === 0
      ? []
      : db
          .select()
          .from(carbonMove)
          .where(and(inArray(carbonMove.redemptionId, redemptions), kind))
          .limit(most.releases),
    vouchers.length === 0 ? [] : db.select().from(carbonMove).where(ofRests).limit(most.releases),
  ]);
  return [...spent, ...rests].slice(0, most.releases);
}

const unique = <T>(values: T[]): T[] => [...new Set(values)];
const present = <T>(values: (T | null | undefined)[]): T[] => values.filter((value) => value != null) as T[];

/** Read the swaps of a flow and those that paid claims. */
export async function swapsOf(flow: Flow, claims: bigint[], named: bigint[] = []): Promise<Swap[]> {
  const sequences = unique([...named, ...present(flow.moves.map((move) => move.swapSequence))]);
  const [own, paid] = await Promise.all([
    sequences.length === 0 ? [] : db.select().from(swap).where(inArray(swap.sequence, sequences)).limit(most.swaps),
    claims.length === 0 ? [] : db.select().from(swap).where(inArray(swap.claimId, claims)).limit(most.swaps),
  ]);
  const bySequence = new Map([...own, ...paid].map((row) => [row.sequence, row]));
  return [...bySequence.values()].sort((a, b) => (a.sequence < b.sequence ? -1 : 1));
}

/** Read the conversions that a trace reaches, and for each the blocks that contain its serials, with their actions. */
export async function convertedOf(flow: Flow, lots: Lot[], asked?: Serials) {
  const named = present(flow.moves.map((move) => move.conversionIndex));
  const indexes = unique([
    ...(asked === undefined ? [] : [asked.conversionIndex]),
    ...lots.map((lot) => lot.conversionIndex),
    ...named,
  ]);
  const wanted = indexes.slice(0, most.conversions);
  if (wanted.length === 0) return { conversions: [], blocks: [], actions: [], isCut: false };
  const conversions = await db
    .select()
    .from(itmoConversion)
    .where(inArray(itmoConversion.index, wanted))
    .orderBy(asc(itmoConversion.index));
  const ranges = asked === undefined ? serialsOf(lots) : [asked];
  const blocks = ranges.length === 0 ? [] : await blocksWithin(ranges);
  const ids = blocks.map(({ id }) => id);
  const actions =
    ids.length === 0
      ? []
      : await db
          .select()
          .from(itmoAction)
          .where(inArray(itmoAction.blockId, ids))
          .orderBy(asc(itmoAction.sequence))
          .limit(most.actions);
  return { conversions, blocks, actions, isCut: indexes.length > wanted.length || blocks.length >= most.blocks };
}

/** Find the serials that lots became part of; neighbours are joined, to need few queries. */
function serialsOf(lots: Lot[]): Serials[] {
  const ranges: Serials[] = [];
  for (const { conversionIndex, firstSerial, lastSerial } of lots) {
    const last = ranges.at(-1);
    if (last?.conversionIndex === conversionIndex && firstSerial <= last.lastId + 1n) {
      if (lastSerial > last.lastId) last.lastId = lastSerial;
    } else ranges.push({ conversionIndex, firstId: firstSerial, lastId: lastSerial });
  }
  return ranges.slice(0, most.conversions);
}

async function blocksWithin(ranges: Serials[]): Promise<Block[]> {
  const overlap = ranges.map(({ conversionIndex, firstId, lastId }) =>
    and(eq(itmoBlock.conversionIndex, conversionIndex), lte(itmoBlock.firstId, lastId), gte(itmoBlock.lastId, firstId)),
  );
  return db
    .select()
    .from(itmoBlock)
    .where(or(...overlap))
    .orderBy(asc(itmoBlock.id))
    .limit(most.blocks);
}

type Parts = { swaps: Swap[]; conversions: Conversion[]; blocks: Block[]; actions: Action[] };

/** Serialize swaps, conversions and blocks, with the names of the participants. */
export async function serializeParts({ swaps, conversions, blocks, actions }: Parts) {
  const buyers = unique(
    present([...swaps.map((row) => row.implementerIndex), ...conversions.map((row) => row.implementerIndex)]),
  );
  const sellers = unique(present(swaps.map((row) => row.supplierIndex)));
  const terms = unique(conversions.map((row) => row.authorizationIndex));
  const [implementers, suppliers, authorizations] = await Promise.all([
    buyers.length === 0 ? [] : db.select().from(implementer).where(inArray(implementer.index, buyers)),
    sellers.length === 0 ? [] : db.select().from(supplier).where(inArray(supplier.index, sellers)),
    terms.length === 0 ? [] : db.select().from(itmoAuthorization).where(inArray(itmoAuthorization.index, terms)),
  ]);
  const buyer = new Map(implementers.map((row) => [row.index, row]));
  const seller = new Map(suppliers.map((row) => [row.index, row]));
  const authorization = new Map(authorizations.map((row) => [row.index, row]));
  return {
    swaps: swaps.map((row) =>
      serializeSwap(row, {
        supplier: seller.get(row.supplierIndex ?? 0),
        implementer: buyer.get(row.implementerIndex ?? 0),
      }),
    ),
    conversions: conversions.map((row) =>
      serializeConversion(row, buyer.get(row.implementerIndex), authorization.get(row.authorizationIndex)),
    ),
    itmoBlocks: blocks.map((row) => serializeBlock(row, actions)),
  };
}
