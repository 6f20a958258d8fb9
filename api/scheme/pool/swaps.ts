import { getAddress } from "viem";
import { decodeSwapId, partsOfSwap } from "../../../wire/src/ids.ts";
import { AppError } from "../../platform/errors.ts";
import { decodeCursor, toPage } from "../../platform/http/index.ts";
import { big, type IndexerRow, int, parameters, text } from "../../platform/indexer/index.ts";
import { type Page, positionOf } from "../vouchers/index.ts";
import type { PoolDeps } from "./deps.ts";
import type { SwapListQuery, SwapRecord } from "./schemas.ts";
import { type SwapFacts, serializeSwap, swapsIn } from "./swap-record.ts";

/** Read a swap from the chain. @throws AppError NOT_FOUND */
export async function getSwap(deps: PoolDeps, publicId: string): Promise<SwapRecord> {
  const id = decodeSwapId(publicId);
  if (!id.ok) {
    const hint = id.reason === "checksum" ? " Its check symbol does not fit: was it mistyped?" : "";
    throw new AppError("NOT_FOUND", `There is no such swap.${hint}`);
  }
  const { client, addresses, latest } = deps.chain;
  const { blockNumber } = partsOfSwap(id.id);
  if (blockNumber > (await latest()).number) throw new AppError("NOT_FOUND", "There is no such swap.");
  const [logs, block] = await Promise.all([
    client.getLogs({ address: addresses.pool, fromBlock: blockNumber, toBlock: blockNumber }),
    client.getBlock({ blockNumber }),
  ]);
  const found = swapsIn(deps.chain, { logs, blockTimestamp: block.timestamp }).find((facts) => facts.id === id.id);
  if (found === undefined) throw new AppError("NOT_FOUND", "There is no such swap.");
  return await serializeSwap(deps, found);
}

/** List swaps from the index, oldest first, including those that paid claims. @throws AppError UNAVAILABLE */
export async function listSwaps(deps: PoolDeps, query: SwapListQuery): Promise<Page<SwapRecord>> {
  const { implementers, suppliers } = deps.registry;
  const { values, add } = parameters();
  const conditions: string[] = [];
  if (query.side !== undefined) conditions.push(`side = ${add(query.side)}`);
  if (query.implementerDid !== undefined) {
    const row = await implementers.byDid(query.implementerDid);
    conditions.push(`implementer = ${add(row?.implementer ?? 0)}`);
  }
  if (query.supplierDid !== undefined) {
    const row = await suppliers.byDid(query.supplierDid);
    conditions.push(`supplier = ${add(row?.supplier ?? 0)}`);
  }
  const after = decodeCursor(query.cursor)?.[0];
  if (after !== undefined) conditions.push(`sequence > ${add(positionOf(after))}`);
  const where = conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`;
  const sql = `select * from swap ${where} order by sequence limit ${query.limit + 1}`;
  const rows = await deps.indexer.query(sql, values);
  const { items, nextCursor } = toPage(rows, query.limit, (row) => [text(row.sequence)]);
  return { items: await Promise.all(items.map((row) => serializeSwap(deps, factsOfRow(row)))), nextCursor };
}

function factsOfRow(row: IndexerRow): SwapFacts {
  const side = row.side === "buy" ? "buy" : "sell";
  return {
    id: big(row.sequence),
    side,
    party: int(side === "buy" ? row.implementer : row.supplier),
    account: getAddress(text(row.account)),
    carbon: big(row.carbon_amount),
    stablecoin: big(row.stablecoin_amount),
    price: big(row.price),
    timestamp: big(row.swapped_at),
    transactionHash: text(row.transaction_hash),
    blockNumber: big(row.block_number),
  };
}
