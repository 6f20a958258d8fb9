import { batchOfVoucher, encodeRedemptionId } from "../../../wire/src/ids.ts";
import { isoTime } from "../../platform/chain/index.ts";
import { decodeCursor, type RequestContext, toPage } from "../../platform/http/index.ts";
import { big, type IndexerRow, int, parameters, text } from "../../platform/indexer/index.ts";
import { jsonAmount } from "../../platform/values/numbers.ts";
import { ownSuppliers, viewOfVoucher } from "./access.ts";
import type { VoucherDeps } from "./deps.ts";
import { type Page, positionOf } from "./lists.ts";
import { findVoucher } from "./read.ts";
import type { HistoryEvent } from "./schemas.ts";

/** Event arguments that are amounts of CARBON. */
const amounts = new Set(["amount", "value", "remaining", "rest", "total", "carbonAmount", "setOff", "stake", "debt"]);
/**
 * Event arguments that are indexes of records on chain. The response gives their public ids instead, or leaves them
 * out.
 */
const indices = new Set(["voucher", "redemption", "batch", "certificate", "chunk", "household", "supplier", "product"]);

/** Read every event of a voucher with its transaction, oldest first. @throws AppError NOT_FOUND, UNAVAILABLE */
export async function readHistory(
  deps: VoucherDeps,
  ctx: RequestContext,
  publicId: string,
  query: { limit: number; cursor?: string | undefined },
): Promise<Page<HistoryEvent>> {
  const facts = await findVoucher(deps, ctx, publicId);
  const { values, add } = parameters();
  const conditions: string[] = [];
  const sellers = (await viewOfVoucher(deps, ctx, facts)) === "redeeming" ? await ownSuppliers(deps, ctx) : undefined;
  if (sellers !== undefined) {
    conditions.push(`(a.supplier is null or a.supplier in (${[0, ...sellers].map((each) => add(each)).join(", ")}))`);
  }
  const after = decodeCursor(query.cursor)?.[0];
  if (after !== undefined) conditions.push(`a.sequence > ${add(positionOf(after))}`);
  const rest = conditions.map((condition) => ` and ${condition}`).join("");
  const { batch } = batchOfVoucher(facts.id);
  // An event of a whole batch names no voucher; only the event log has such events.
  const ofBatch = `select a.* from event_log a where a.batch = ${add(batch || null)} and a.voucher is null${rest}`;
  const own = `select a.* from activity a where a.voucher = ${add(facts.id)}${rest}`;
  const sql = `select * from (${own} union all ${ofBatch}) e order by sequence limit ${query.limit + 1}`;
  const rows = await deps.indexer.query(sql, values);
  const { items, nextCursor } = toPage(rows, query.limit, (row) => [text(row.sequence)]);
  return { items: await Promise.all(items.map((row) => eventOfRow(deps, row))), nextCursor };
}

async function eventOfRow(deps: VoucherDeps, row: IndexerRow): Promise<HistoryEvent> {
  const { suppliers, products } = deps.registry;
  const [supplier, product] = await Promise.all([
    row.supplier === null ? null : suppliers.byIndex(int(row.supplier)),
    row.product === null ? null : products.byIndex(int(row.product)),
  ]);
  return {
    event: text(row.event),
    occurredAt: isoTime(big(row.timestamp)),
    transactionHash: text(row.transaction_hash),
    blockNumber: int(row.block_number),
    ...(row.redemption === null ? {} : { redemptionId: encodeRedemptionId(big(row.redemption)) }),
    ...(supplier === null ? {} : { supplierDid: supplier.did }),
    ...(product === null ? {} : { productId: product.productId }),
    data: dataOf(row.data),
  };
}

function dataOf(value: unknown): Record<string, unknown> {
  const data = (typeof value === "string" ? JSON.parse(value) : value) as Record<string, unknown>;
  const shown = Object.entries(data).filter(([name]) => !indices.has(name));
  return Object.fromEntries(
    shown.map(([name, each]) => [name, amounts.has(name) ? jsonAmount(BigInt(String(each))) : each]),
  );
}
