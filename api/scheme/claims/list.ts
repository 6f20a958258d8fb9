import { getAddress } from "viem";
import {
  decodeRedemptionId,
  decodeVoucherId,
  encodeClaimId,
  encodeRedemptionId,
  encodeVoucherId,
} from "../../../wire/src/ids.ts";
import { isoTime } from "../../platform/chain/index.ts";
import { AppError } from "../../platform/errors.ts";
import { decodeCursor, type RequestContext, requireScope, toPage } from "../../platform/http/index.ts";
import { big, during, type IndexerRow, int, parameters, text } from "../../platform/indexer/index.ts";
import { jsonAmount } from "../../platform/values/numbers.ts";
import type { ClaimDeps } from "./deps.ts";
import type { Claim, ClaimQuery, ClaimStatus } from "./schemas.ts";
import { CLAIM_SCOPE } from "./service.ts";
import { settlementOf } from "./settlement.ts";

export type Add = ReturnType<typeof parameters>["add"];
const nothing = "false";
/** The index accepts joins but no subqueries. */
const columns =
  "c.*, r.product, r.status as redemption_status, p.account, p.carbon_amount as settled, p.set_off, p.asset, " +
  "p.amount as paid, p.fallback_reason, p.transaction_hash as paid_in";
const tables =
  "claim c join redemption r on r.id = c.id left join payment p on p.claim = c.id " +
  'join certificate t on t."index" = c.certificate';

/** List the claims that the key may see, from the index, oldest first. @throws AppError FORBIDDEN, UNAVAILABLE */
export async function listClaims(
  deps: ClaimDeps,
  ctx: RequestContext,
  query: ClaimQuery,
): Promise<{ items: Claim[]; nextCursor: string | null }> {
  requireScope(ctx.actor, CLAIM_SCOPE);
  requireOwnSupplierNamed(ctx, query.supplierDid);
  const { values, add } = parameters();
  const conditions = [...(await wantedConditions(deps, query, add)), ...(await visibleConditions(deps, ctx, add))];
  const after = decodeCursor(query.cursor)?.[0];
  if (after !== undefined) conditions.push(`c.sequence > ${add(BigInt(/^\d{1,40}$/.test(`${after}`) ? after : 0))}`);
  const where = conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`;
  const sql = `select ${columns} from ${tables} ${where} order by c.sequence limit ${query.limit + 1}`;
  const rows = await deps.indexer.query(sql, values);
  const { items, nextCursor } = toPage(rows, query.limit, (row) => [text(row.sequence)]);
  const reasons = await disputeReasons(deps, items);
  return { items: await Promise.all(items.map((row) => claimOfRow(deps, row, reasons))), nextCursor };
}

/** Refuse a supplier that names another one. @throws AppError FORBIDDEN */
export function requireOwnSupplierNamed({ actor }: RequestContext, supplierDid: string | undefined): void {
  if (actor.role !== "supplier" || supplierDid === undefined || supplierDid === actor.supplierDid) return;
  const message = `This key may not act for ${supplierDid}.`;
  throw new AppError("FORBIDDEN", message, { details: [{ path: "supplierDid", rule: "own-identity", message }] });
}

async function wantedConditions(deps: ClaimDeps, query: ClaimQuery, add: Add): Promise<string[]> {
  const conditions: string[] = [];
  if (query.redemptionId !== undefined) {
    const decoded = decodeRedemptionId(query.redemptionId);
    conditions.push(decoded.ok ? `c.id = ${add(decoded.id)}` : nothing);
  }
  if (query.voucherId !== undefined) {
    const decoded = decodeVoucherId(query.voucherId);
    conditions.push(decoded.ok ? `c.voucher = ${add(decoded.id)}` : nothing);
  }
  if (query.supplierDid !== undefined) conditions.push(await oneOf(deps, "supplier", [query.supplierDid], add));
  if (query.status === "lapsed") conditions.push("c.status = 'flagged' and r.status = 'lapsed'");
  else if (query.status === "flagged") conditions.push("c.status = 'flagged' and r.status <> 'lapsed'");
  else if (query.status !== undefined) conditions.push(`c.status = ${add(query.status)}`);
  conditions.push(...during("c.filed_at", query.filedFrom, query.filedBefore, add));
  return conditions;
}

/** Conditions on claim `c` and certificate `t` that limit a list to the key's DIDs; none for keys that see everything. */
export async function visibleConditions(deps: ClaimDeps, ctx: RequestContext, add: Add): Promise<string[]> {
  const { role, supplierDid = "", implementerDid = "", dids } = ctx.actor;
  if (role === "supplier") return [await oneOf(deps, "supplier", [supplierDid], add)];
  if (role === "implementer") return [await oneOf(deps, "implementer", [implementerDid], add)];
  if (role !== "integrator" || dids === null) return [];
  return [`(${await oneOf(deps, "supplier", dids, add)} or ${await oneOf(deps, "implementer", dids, add)})`];
}

/** Condition on claim `c` and certificate `t`: they belong to one of these DIDs. */
export async function oneOf(
  deps: ClaimDeps,
  noun: "supplier" | "implementer",
  dids: string[],
  add: Add,
): Promise<string> {
  const { suppliers, implementers } = deps.registry;
  if (noun === "supplier") {
    const rows = await Promise.all(dids.map((did) => suppliers.byDid(did)));
    const indexes = rows.flatMap((row) => (row ? [add(row.supplier)] : []));
    return indexes.length === 0 ? nothing : `c.supplier in (${indexes.join(", ")})`;
  }
  const rows = await Promise.all(dids.map((did) => implementers.byDid(did)));
  const indexes = rows.flatMap((row) => (row ? [add(row.implementer)] : []));
  return indexes.length === 0 ? nothing : `t.implementer in (${indexes.join(", ")})`;
}

/** Read the last reason of each claim's disputes, by claim. */
async function disputeReasons(deps: ClaimDeps, rows: IndexerRow[]): Promise<Map<string, string>> {
  if (rows.length === 0) return new Map();
  const { values, add } = parameters();
  const ids = rows.map((row) => add(big(row.id))).join(", ");
  const sql = `select d.* from dispute d where d.claim in (${ids}) order by d.sequence`;
  const disputes = await deps.indexer.query(sql, values);
  return new Map(disputes.map((row) => [text(row.claim), text(row.resolution ?? row.reason)]));
}

async function claimOfRow(deps: ClaimDeps, row: IndexerRow, reasons: Map<string, string>): Promise<Claim> {
  const { suppliers, products } = deps.registry;
  const [supplier, product] = await Promise.all([
    suppliers.byIndex(int(row.supplier)),
    products.byIndex(int(row.product)),
  ]);
  const reason = reasons.get(text(row.id)) ?? (row.rejection_reason === null ? "" : text(row.rejection_reason));
  const lapsed = row.status === "flagged" && row.redemption_status === "lapsed";
  return {
    id: encodeClaimId(big(row.id)),
    type: "DeliveryClaim",
    redemptionId: encodeRedemptionId(big(row.id)),
    voucherId: encodeVoucherId(big(row.voucher)),
    supplierDid: supplier?.did ?? "",
    productId: product?.productId ?? "",
    status: lapsed ? "lapsed" : (text(row.status) as ClaimStatus),
    ...(reason ? { reason } : {}),
    carbonAmount: jsonAmount(big(row.carbon_amount)),
    settlement: row.paid_in === null ? null : settlementOfRow(row),
    credentialHash: text(row.credential_hash),
    filedAt: isoTime(int(row.filed_at)),
    transactionHash: text(row.transaction_hash),
    blockNumber: int(row.block_number),
  };
}

function settlementOfRow(row: IndexerRow): NonNullable<Claim["settlement"]> {
  const inCarbon = row.asset === "CARBON";
  const paid = {
    account: getAddress(text(row.account)),
    carbonAmount: big(row.settled),
    setOff: big(row.set_off),
    stablecoinAmount: inCarbon ? 0n : big(row.paid),
    fallbackReason: inCarbon ? (text(row.fallback_reason) as `0x${string}`) : ("0x00000000" as const),
  };
  return settlementOf(paid, text(row.paid_in) as `0x${string}`);
}
