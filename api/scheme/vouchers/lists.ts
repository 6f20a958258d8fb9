import type { ConsentLevel } from "../../../indexer/schema/consent-words.ts";
import { encodeRedemptionId, encodeVoucherId } from "../../../wire/src/ids.ts";
import { isoTime } from "../../platform/chain/index.ts";
import { AppError } from "../../platform/errors.ts";
import {
  decodeCursor,
  type RequestContext,
  requireRoleOrScope,
  requireScope,
  toPage,
} from "../../platform/http/index.ts";
import { big, during, type IndexerRow, int, parameters, text } from "../../platform/indexer/index.ts";
import { jsonAmount } from "../../platform/values/numbers.ts";
import { ownSuppliers, readScope } from "./access.ts";
import { serializeActor } from "./actors/serialize-actor.ts";
import { settleOrders } from "./actors/settle-orders.ts";
import { redemptionActorsOf } from "./actors/store.ts";
import type { RedemptionActorRow } from "./actors/tables.ts";
import type { VoucherDeps } from "./deps.ts";
import { readVoucherId } from "./public-ids.ts";
import type { RedemptionListQuery, RedemptionRecord, RedemptionStatus, Voucher, VoucherListQuery } from "./schemas.ts";
import { dayOfSeconds, serializeVoucher } from "./serialize-voucher.ts";
import type { ShownState, VoucherFacts, VoucherState } from "./voucher-ledger.ts";

export type Page<T> = { items: T[]; nextCursor: string | null };
type Parameters = ReturnType<typeof parameters>;
const nothing = "false";
/** The indexer accepts no subqueries. */
const join = (alias: string) => `join certificate c on c."index" = ${alias}.certificate`;

/** List the vouchers that the key may see, from the index, sorted by id. @throws AppError FORBIDDEN, UNAVAILABLE */
export async function listVouchers(
  deps: VoucherDeps,
  ctx: RequestContext,
  query: VoucherListQuery,
): Promise<Page<Voucher>> {
  requireRoleOrScope(ctx.actor, readScope, "implementer", "evaluator", "regulator");
  const today = dayOfSeconds(await deps.chain.now());
  const { values, add } = parameters();
  const conditions = await voucherConditions(deps, ctx, query, add, today);
  const after = decodeCursor(query.cursor)?.[0];
  if (after !== undefined) conditions.push(`v.id > ${add(positionOf(after))}`);
  const where = conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`;
  const sql = `select v.* from voucher v ${join("v")} ${where} order by v.id limit ${query.limit + 1}`;
  const { items, nextCursor } = toPage(await deps.indexer.query(sql, values), query.limit, (row) => [text(row.id)]);
  await deps.registry.households.byIndexes(items.map((row) => int(row.household)));
  const shown = items.map((row) => serializeVoucher(deps, ctx, factsOfRow(row), stateOfRow(row), today));
  return { items: await Promise.all(shown), nextCursor };
}

async function voucherConditions(
  deps: VoucherDeps,
  ctx: RequestContext,
  query: VoucherListQuery,
  add: Parameters["add"],
  today: number,
): Promise<string[]> {
  const { certificates } = deps;
  const { households } = deps.registry;
  const conditions: string[] = [];
  if (query.recipientDid !== undefined) {
    const household = await households.byDid(query.recipientDid);
    conditions.push(household === null ? nothing : `v.household = ${add(household.household)}`);
  }
  if (query.emissionCertificateId !== undefined) {
    const certificate = await certificates.byId(query.emissionCertificateId);
    conditions.push(certificate === null ? nothing : `v.certificate = ${add(certificate.certificate)}`);
  }
  if (query.batchId !== undefined) conditions.push(`v.batch_id = ${add(query.batchId)}`);
  if (query.status !== undefined) conditions.push(statusCondition(query.status, add, today));
  const visible = await ownCondition(deps, ctx, "v", add);
  return visible === undefined ? conditions : [...conditions, visible];
}

/** SQL condition for a public status; it must agree with statusOf in serialize-voucher.ts. */
function statusCondition(
  status: NonNullable<VoucherListQuery["status"]>,
  add: Parameters["add"],
  today: number,
): string {
  if (status === "cancelled") return "v.status in ('cancelled', 'revoked')";
  if (status !== "active" && status !== "expired") return `v.status = ${add(status)}`;
  if (status === "active") return `v.status = ${add(status)} and v.expiry_day >= ${add(today)}`;
  return `(v.status in ('swept', 'expired') or (v.status = 'active' and v.expiry_day < ${add(today)}))`;
}

/** SQL condition for rows of the key's DIDs; undefined for keys that see everything. `c` is the certificate. */
async function ownCondition(
  deps: VoucherDeps,
  ctx: RequestContext,
  alias: "v" | "r",
  add: Parameters["add"],
): Promise<string | undefined> {
  const { actor } = ctx;
  const { implementers, households } = deps.registry;
  const dids = actor.role === "implementer" ? [actor.implementerDid ?? ""] : actor.dids;
  if ((actor.role !== "implementer" && actor.role !== "integrator") || dids === null) return undefined;
  const found = await Promise.all(dids.map((did) => implementers.byDid(did)));
  const owners = found.flatMap((row) => (row === null ? [] : [add(row.implementer)]));
  const own = owners.length === 0 ? [] : [`c.implementer in (${owners.join(", ")})`];
  if (actor.role === "integrator") {
    const people = [...(await households.byDids(dids)).values()].map(({ household }) => add(household));
    if (people.length > 0) own.push(`${alias}.household in (${people.join(", ")})`);
    const sellers = alias === "r" ? ((await ownSuppliers(deps, ctx)) ?? []).map((each) => add(each)) : [];
    if (sellers.length > 0) own.push(`r.supplier in (${sellers.join(", ")})`);
  }
  return own.length === 0 ? nothing : `(${own.join(" or ")})`;
}

function factsOfRow(row: IndexerRow): VoucherFacts {
  return {
    id: big(row.id),
    certificate: int(row.certificate),
    household: int(row.household),
    plan: undefined,
    value: big(row.value),
    startDay: int(row.start_day),
    expiryDay: int(row.expiry_day),
    batchId: text(row.batch_id),
    replaces: row.replaces === null ? undefined : big(row.replaces),
    issueTransactionHash: text(row.transaction_hash) as `0x${string}`,
    leaf: undefined,
  };
}

function stateOfRow(row: IndexerRow): ShownState {
  const isDerived = row.status === "exhausted" || row.status === "expired";
  const status = isDerived ? "active" : (text(row.status) as VoucherState["status"]);
  return { status, remaining: big(row.remaining), expiryDay: int(row.expiry_day) };
}

/**
 * List the redemptions that the key may see, from the index, oldest first. @throws AppError FORBIDDEN, NOT_FOUND,
 * UNAVAILABLE
 */
export async function listRedemptions(
  deps: VoucherDeps,
  ctx: RequestContext,
  query: RedemptionListQuery,
): Promise<Page<RedemptionRecord>> {
  if (ctx.actor.role === "integrator") requireScope(ctx.actor, readScope);
  const { values, add } = parameters();
  const conditions = await redemptionConditions(deps, ctx, query, add);
  const after = decodeCursor(query.cursor)?.[0];
  if (after !== undefined) conditions.push(`r.sequence > ${add(positionOf(after))}`);
  const where = conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`;
  const sql = `select r.* from redemption r ${join("r")} ${where} order by r.sequence limit ${query.limit + 1}`;
  const rows = await deps.indexer.query(sql, values);
  const { items, nextCursor } = toPage(rows, query.limit, (row) => [text(row.sequence)]);
  await settleOrders(deps);
  const actors = await redemptionActorsOf(
    deps.db,
    items.map((row) => encodeRedemptionId(big(row.id))),
  );
  return { items: await Promise.all(items.map((row) => redemptionOfRow(deps, ctx, row, actors))), nextCursor };
}

async function redemptionConditions(
  deps: VoucherDeps,
  ctx: RequestContext,
  query: RedemptionListQuery,
  add: Parameters["add"],
): Promise<string[]> {
  const { actor } = ctx;
  const { suppliers } = deps.registry;
  const conditions: string[] = [];
  if (query.voucherId !== undefined) conditions.push(`r.voucher = ${add(readVoucherId(query.voucherId))}`);
  if (query.status !== undefined) conditions.push(`r.status = ${add(query.status)}`);
  conditions.push(...during("r.redeemed_at", query.redeemedFrom, query.redeemedBefore, add));
  if (actor.role === "supplier" && query.supplierDid !== undefined && query.supplierDid !== actor.supplierDid) {
    throw new AppError("FORBIDDEN", `This key may not act for ${query.supplierDid}.`, {
      details: [{ path: "supplierDid", rule: "own-identity", message: "The key is another supplier's." }],
    });
  }
  const supplierDid = actor.role === "supplier" ? actor.supplierDid : query.supplierDid;
  if (supplierDid !== undefined) {
    const supplier = await suppliers.byDid(supplierDid);
    conditions.push(supplier === null ? nothing : `r.supplier = ${add(supplier.supplier)}`);
  }
  const visible = await ownCondition(deps, ctx, "r", add);
  return visible === undefined ? conditions : [...conditions, visible];
}

async function redemptionOfRow(
  deps: VoucherDeps,
  ctx: RequestContext,
  row: IndexerRow,
  actors: ReadonlyMap<string, RedemptionActorRow>,
): Promise<RedemptionRecord> {
  const { suppliers, products } = deps.registry;
  const [supplier, product] = await Promise.all([
    suppliers.byIndex(int(row.supplier)),
    products.byIndex(int(row.product)),
  ]);
  const redemptionId = encodeRedemptionId(big(row.id));
  return {
    redemptionId,
    voucherId: encodeVoucherId(big(row.voucher)),
    supplierDid: supplier?.did ?? "",
    productId: product?.productId ?? "",
    amount: jsonAmount(big(row.amount)),
    status: text(row.status) as RedemptionStatus,
    consent: text(row.consent) as ConsentLevel,
    actedBy: serializeActor(ctx, actors.get(redemptionId)),
    flagged: row.flagged === true,
    redeemedAt: isoTime(big(row.redeemed_at)),
    claimDeadline: isoTime(big(row.deadline)),
    transactionHash: text(row.transaction_hash),
  };
}

/** Read a position from a cursor. Callers can change cursors, so the text is checked before it is used in SQL. */
export function positionOf(value: string | number): string {
  if (/^\d{1,40}$/.test(String(value))) return String(value);
  throw new AppError("INVALID_INPUT", "The cursor is not one that this list gave.", {
    details: [{ path: "cursor", rule: "cursor", message: "Use the nextCursor of the page before." }],
  });
}
