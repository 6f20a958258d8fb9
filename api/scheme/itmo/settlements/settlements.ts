import { createHash } from "node:crypto";
import {
  decodeClaimId,
  decodeConversionId,
  encodeClaimId,
  encodeConversionId,
  encodeItmoBlockId,
} from "../../../../wire/src/ids.ts";
import { itmoBlockIdOf } from "../../../../wire/src/itmo-ids.ts";
import { type RuleDetail, refuseBrokenRules } from "../../../platform/errors.ts";
import {
  decodeCursor,
  type RequestContext,
  requireOwnSupplier,
  requireRoleOrScope,
  toPage,
} from "../../../platform/http/index.ts";
import { newId } from "../../../platform/new-id.ts";
import { canonicalJson } from "../../../platform/values/canonical-json.ts";
import { formatScaled, type JsonNumber } from "../../../platform/values/numbers.ts";
import { readRedemptionOfClaim } from "../../claims/index.ts";
import { implementerDidOf, requireSettler, SETTLE_SCOPE } from "../access.ts";
import { blockNotFound, findBlock } from "../blocks/blocks.ts";
import { findConversion } from "../conversions/conversions.ts";
import type { ItmoDeps } from "../deps.ts";
import { ruleError } from "../errors.ts";
import type { SettlementRow } from "../tables.ts";
import { CURRENCY_DECIMALS, decimalsOf } from "./currency.ts";
import type { NewSettlement, Settlement, SettlementPage, SettlementQuery } from "./schemas.ts";
import type { SettlementFilter } from "./store.ts";

/** The settled conversion, block or claim, and the DID that is paid. */
type Subject = Pick<SettlementRow, "subjectId" | "conversion" | "firstId" | "lastId" | "partyDid"> & {
  /** Why it cannot be settled, or no longer. */
  obstacle?: string;
};

type OwnQuery = Pick<SettlementQuery, "limit" | "cursor" | "type">;

/**
 * Record a payment that was made outside the chain. Repeating the same record returns the stored one.
 * @throws AppError FORBIDDEN, NOT_FOUND, CONFLICT (the reference belongs to another payment), RULE_VIOLATION
 */
export async function recordSettlement(
  deps: ItmoDeps,
  ctx: RequestContext,
  id: string,
  input: NewSettlement,
): Promise<Settlement> {
  const { obstacle, ...subject } = await subjectOf(deps, ctx, id);
  refuseBrokenRules(brokenRules(subject, input), "The settlement breaks rules; nothing was recorded.");
  const { type, reference, currency, documentCid } = input;
  const amount = formatScaled(input.amount, CURRENCY_DECIMALS);
  const { partyDid: _, ...named } = subject;
  const recordHash = hashOf({ type, reference, ...named, amount, currency, documentCid });
  const recordedAt = deps.clock.now();
  const settlementId = `STL-${newId(recordedAt)}`;
  const made = { settlementId, recordHash, recordedBy: ctx.actor.role, recordedAt };
  const { settlements } = deps.itmo.stores;
  if (obstacle !== undefined) throw ruleError("CONFLICT", "id", "settleable", obstacle);
  const kept = await settlements.save({ type, reference, ...subject, amount, currency, documentCid, ...made });
  if (kept.recordHash === recordHash) return serializeSettlement(kept);
  throw ruleError(
    "CONFLICT",
    "reference",
    "reference-unused",
    `The ${type} reference ${reference} stands for another payment.`,
  );
}

/** List the settlements of a conversion, block or claim with their totals. @throws AppError FORBIDDEN, NOT_FOUND */
export async function settlementsOf(
  deps: ItmoDeps,
  ctx: RequestContext,
  id: string,
  query: OwnQuery,
): Promise<SettlementPage> {
  const { subjectId, conversion, firstId, lastId } = await subjectOf(deps, ctx, id);
  const serials =
    firstId === null || lastId === null ? {} : { serials: { firstId: BigInt(firstId), lastId: BigInt(lastId) } };
  const filter = conversion === null ? { subjectId } : { conversion, ...serials };
  return page(deps, { ...filter, type: query.type }, query);
}

/** List every settlement that the actor may see, with their totals. @throws AppError FORBIDDEN */
export async function listSettlements(
  deps: ItmoDeps,
  ctx: RequestContext,
  query: SettlementQuery,
): Promise<SettlementPage> {
  requireRoleOrScope(ctx.actor, SETTLE_SCOPE, "implementer", "supplier", "regulator");
  const visible = visibleParties(ctx);
  const { partyDid, type } = query;
  const asked = partyDid === undefined ? visible : [partyDid].filter((did) => visible?.includes(did) ?? true);
  const [from, to] = [query.from, query.to].map((text) => (text === undefined ? undefined : new Date(text)));
  return page(deps, { parties: asked, type, from, to }, query);
}

/** DIDs whose settlements the actor may see; undefined for all. */
function visibleParties({ actor }: RequestContext): string[] | undefined {
  if (actor.role === "admin" || actor.role === "regulator") return undefined;
  if (actor.role === "integrator") return actor.dids ?? undefined;
  return [actor.implementerDid, actor.supplierDid].filter((did) => did !== undefined);
}

async function page(deps: ItmoDeps, filter: SettlementFilter, query: OwnQuery): Promise<SettlementPage> {
  const { settlements } = deps.itmo.stores;
  const after = decodeCursor(query.cursor)?.[0] ?? "";
  const [rows, totals] = await Promise.all([
    settlements.listAfter(String(after), query.limit + 1, filter),
    settlements.totals(filter),
  ]);
  const { items, nextCursor } = toPage(rows, query.limit, (row) => [row.settlementId]);
  const shown = totals.map(({ currency, ...sums }) => ({
    currency,
    MOPA: exact(sums.MOPA),
    exchange: exact(sums.exchange),
    open: exact(sums.open),
    supplierExchange: exact(sums.supplierExchange),
  }));
  return { items: items.map(serializeSettlement), nextCursor, totals: shown };
}

/**
 * Find the subject of a settlement by its id.
 * @throws AppError NOT_FOUND, FORBIDDEN unless the actor may record and read its settlements
 */
async function subjectOf(deps: ItmoDeps, ctx: RequestContext, id: string): Promise<Subject> {
  const { actor } = ctx;
  if (decodeClaimId(id).ok) return claimOf(deps, ctx, id);
  requireRoleOrScope(actor, SETTLE_SCOPE, "implementer", "regulator");
  if (decodeConversionId(id).ok) {
    const { row, state } = await findConversion(deps, id);
    const partyDid = await implementerDidOf(deps, row.implementer);
    requireSettler(actor, partyDid);
    const { conversion } = row;
    const subject = {
      subjectId: encodeConversionId(BigInt(conversion)),
      conversion,
      firstId: null,
      lastId: null,
      partyDid,
    };
    return state.status === "reverted" ? { ...subject, obstacle: "The conversion was reverted." } : subject;
  }
  const { block } = await findBlock(deps, id);
  const request = await deps.itmo.conversion(block.conversion);
  if (request === null) throw blockNotFound();
  const partyDid = await implementerDidOf(deps, request.implementer);
  requireSettler(actor, partyDid);
  const { conversion, firstId, lastId } = block;
  const subjectId = encodeItmoBlockId(itmoBlockIdOf(conversion, firstId));
  return { subjectId, conversion, firstId: `${firstId}`, lastId: `${lastId}`, partyDid };
}

/** Find a claim whose payment a supplier exchanges for local currency. */
async function claimOf(deps: ItmoDeps, ctx: RequestContext, id: string): Promise<Subject> {
  requireRoleOrScope(ctx.actor, SETTLE_SCOPE, "supplier", "regulator");
  const facts = await readRedemptionOfClaim(deps, ctx, id);
  if (ctx.actor.role !== "regulator") requireOwnSupplier(ctx.actor, facts.supplierDid, SETTLE_SCOPE);
  const none = { conversion: null, firstId: null, lastId: null };
  const subject = { subjectId: encodeClaimId(facts.redemption), ...none, partyDid: facts.supplierDid };
  return facts.state === "settled" ? subject : { ...subject, obstacle: "The claim has not been paid." };
}

function brokenRules(
  { conversion }: Omit<Subject, "obstacle">,
  { type, amount, currency }: NewSettlement,
): RuleDetail[] {
  const broken: RuleDetail[] = [];
  const decimals = decimalsOf(currency);
  if (amount % 10n ** BigInt(CURRENCY_DECIMALS - decimals) !== 0n) {
    const message = `An amount in ${currency} has at most ${decimals} decimals.`;
    broken.push({ path: "amount", rule: "currency-decimals", message });
  }
  if (conversion === null && type !== "exchange") {
    const message = "What a claim paid is exchanged; a MOPA pays for ITMOs.";
    broken.push({ path: "type", rule: "settlement-type", message });
  }
  return broken;
}

function hashOf(record: Record<string, unknown>): string {
  return createHash("sha256").update(canonicalJson(record)).digest("hex");
}

function serializeSettlement(row: SettlementRow): Settlement {
  return {
    settlementId: row.settlementId,
    type: row.type,
    reference: row.reference,
    subjectId: row.subjectId,
    conversionId: row.conversion === null ? null : encodeConversionId(BigInt(row.conversion)),
    firstId: row.firstId,
    lastId: row.lastId,
    partyDid: row.partyDid,
    amount: exact(row.amount),
    currency: row.currency,
    documentCid: row.documentCid,
    recordHash: row.recordHash,
    recordedBy: row.recordedBy,
    recordedAt: row.recordedAt.toISOString(),
  };
}

function exact(decimal: string): JsonNumber {
  return JSON.rawJSON(decimal) as unknown as JsonNumber;
}
