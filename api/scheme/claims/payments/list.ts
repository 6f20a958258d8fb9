import { getAddress } from "viem";
import { encodeClaimId, encodePaymentId, encodeRedemptionId } from "../../../../wire/src/ids.ts";
import { isoTime } from "../../../platform/chain/index.ts";
import { finalityOf } from "../../../platform/chain-finality.ts";
import { decodeCursor, type RequestContext, requireScope, toPage } from "../../../platform/http/index.ts";
import { big, during, type IndexerRow, int, parameters, text } from "../../../platform/indexer/index.ts";
import { jsonAmount } from "../../../platform/values/numbers.ts";
import type { ClaimDeps } from "../deps.ts";
import { oneOf, requireOwnSupplierNamed, visibleConditions } from "../list.ts";
import type { Payment, PaymentQuery } from "./schemas.ts";

export const PAYMENT_SCOPE = "payments:read";

const tables = 'payment p join claim c on c.id = p.claim join certificate t on t."index" = c.certificate';

/**
 * List what the chain paid for claims, from the index, in the chain's order.
 * @throws AppError FORBIDDEN, UNAVAILABLE
 */
export async function listPayments(
  deps: ClaimDeps,
  ctx: RequestContext,
  query: PaymentQuery,
): Promise<{ items: Payment[]; nextCursor: string | null }> {
  requireScope(ctx.actor, PAYMENT_SCOPE);
  requireOwnSupplierNamed(ctx, query.supplierDid);
  const { values, add } = parameters();
  const conditions = await visibleConditions(deps, ctx, add);
  if (query.supplierDid !== undefined) conditions.push(await oneOf(deps, "supplier", [query.supplierDid], add));
  if (query.account !== undefined) conditions.push(`p.account = ${add(query.account.toLowerCase())}`);
  conditions.push(...during("p.paid_at", query.paidFrom, query.paidBefore, add));
  const after = decodeCursor(query.cursor)?.[0];
  if (after !== undefined) conditions.push(`p.sequence > ${add(BigInt(/^\d{1,18}$/.test(`${after}`) ? after : 0))}`);
  const where = conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`;
  const sql = `select p.* from ${tables} ${where} order by p.sequence limit ${query.limit + 1}`;
  const rows = await deps.indexer.query(sql, values);
  const { items, nextCursor } = toPage(rows, query.limit, (row) => [text(row.sequence)]);
  const latest = Number((await deps.chain.latest()).number);
  const lastFinal = latest - finalityOf(deps.chain.id);
  return { items: await Promise.all(items.map((row) => paymentOfRow(deps, row, lastFinal))), nextCursor };
}

async function paymentOfRow(deps: ClaimDeps, row: IndexerRow, lastFinal: number): Promise<Payment> {
  const claim = big(row.claim);
  const blockNumber = int(row.block_number);
  return {
    id: encodePaymentId(claim),
    claimId: encodeClaimId(claim),
    redemptionId: encodeRedemptionId(claim),
    supplierDid: (await deps.registry.suppliers.byIndex(int(row.supplier)))?.did ?? "",
    account: getAddress(text(row.account)),
    asset: row.asset === "CARBON" ? "CARBON" : "stablecoin",
    amount: jsonAmount(big(row.amount)),
    setOff: jsonAmount(big(row.set_off)),
    paidAt: isoTime(int(row.paid_at)),
    transactionHash: text(row.transaction_hash),
    blockNumber,
    final: blockNumber <= lastFinal,
  };
}
