import { dayOf, once, submitCall, unconsentedCapTooHigh } from "../../../platform/chain/index.ts";
import { AppError, type RuleDetail, refuseBrokenRules } from "../../../platform/errors.ts";
import {
  type RequestContext,
  requireOwnImplementer,
  requireRoleOrScope,
  toPage,
} from "../../../platform/http/index.ts";
import { jsonScaled } from "../../../platform/values/numbers.ts";
import type { RegistryDeps } from "../deps.ts";
import { alreadyRegistered, notRegistered } from "../errors.ts";
import { indexAfter } from "../paging.ts";
import type { NewPlan, Plan } from "./schemas.ts";
import type { PlanRow } from "./tables.ts";
import { DEFAULT_PLAN_ID, defaultPlan, type PlanConditions, type PlanTerms } from "./terms.ts";

export const WRITE_SCOPE = "monitoring-plans:write";

/** Register a monitoring plan; it cannot be changed. @throws AppError FORBIDDEN, CONFLICT, RULE_VIOLATION */
export async function registerPlan(deps: RegistryDeps, ctx: RequestContext, input: NewPlan): Promise<Plan> {
  requireRoleOrScope(ctx.actor, WRITE_SCOPE, "regulator", "implementer");
  if (ctx.actor.role !== "regulator") requireOwnImplementer(ctx.actor, input.implementerDid, WRITE_SCOPE);
  await once(deps, ctx, async () => {
    const { implementer, products, unconsentedCap } = await checkPlan(deps, input);
    return submitCall(deps, ctx, {
      sender: "operator",
      contract: "participants",
      functionName: "registerPlan",
      args: [registrationOf(input, implementer, products, unconsentedCap)],
      purpose: "monitoring-plan.register",
    });
  });
  return getPlan(deps, input.planId);
}

type CheckedPlan = { implementer: number; products: number[]; unconsentedCap: number };

async function checkPlan(deps: RegistryDeps, input: NewPlan): Promise<CheckedPlan> {
  const { implementers, plans } = deps.registry;
  if (await plans.byId(input.planId)) throw alreadyRegistered("Monitoring plan", "planId", input.planId);
  const broken: RuleDetail[] = [];
  const implementer = (await implementers.byDid(input.implementerDid))?.implementer ?? 0;
  if (implementer === 0) {
    const message = `Implementer ${input.implementerDid} is not registered.`;
    broken.push({ path: "implementerDid", rule: "implementer-registered", message });
  }
  if (input.period.endDate < input.period.startDate) {
    broken.push({
      path: "period.endDate",
      rule: "dates-ordered",
      message: "The period must not end before it starts.",
    });
  }
  const products = await productIndexes(deps, input.products, broken);
  const highest = await readUnconsentedCap(deps, 0);
  const { unconsentedCap = highest } = input;
  if (unconsentedCap > highest) {
    broken.push({ path: "unconsentedCap", rule: "unconsented-cap", message: unconsentedCapTooHigh(highest) });
  }
  refuseBrokenRules(broken);
  return { implementer, products, unconsentedCap };
}

/** Read a monitoring plan. @throws AppError NOT_FOUND */
export async function getPlan(deps: RegistryDeps, planId: string): Promise<Plan> {
  if (planId === DEFAULT_PLAN_ID) return show(deps, defaultPlan, null);
  const row = await deps.registry.plans.byId(planId);
  if (!row) throw notRegistered("Monitoring plan", planId);
  return show(deps, row.terms, row);
}

/** List monitoring plans. @throws AppError NOT_FOUND when the implementer is not registered */
export async function listPlans(
  deps: RegistryDeps,
  query: { limit: number; cursor?: string | undefined; implementerDid?: string | undefined },
): Promise<{ items: Plan[]; nextCursor: string | null }> {
  await deps.registry.plans.catchUp();
  const after = indexAfter(query.cursor);
  const implementer = await implementerIndex(deps, query.implementerDid);
  const rows = await deps.registry.stores.plans.listAfter(after, query.limit + 1, implementer);
  const { items, nextCursor } = toPage(rows, query.limit, (row) => [row.plan]);
  return { items: await Promise.all(items.map((row) => show(deps, row.terms, row))), nextCursor };
}

async function implementerIndex(deps: RegistryDeps, did: string | undefined): Promise<number | undefined> {
  if (did === undefined) return undefined;
  const row = await deps.registry.implementers.byDid(did);
  if (!row) throw new AppError("NOT_FOUND", `Implementer ${did} is not registered.`);
  return row.implementer;
}

async function productIndexes(deps: RegistryDeps, productIds: string[], broken: RuleDetail[]): Promise<number[]> {
  const rows = await Promise.all(productIds.map((productId) => deps.registry.products.byId(productId)));
  rows.forEach((row, i) => {
    if (row) return;
    const message = `Product ${productIds[i]} is not registered.`;
    broken.push({ path: `products.${i}`, rule: "product-registered", message });
  });
  return rows.flatMap((row) => (row ? [row.product] : []));
}

/** Unlike the rest of a plan, the council can change this cap and the guardian can lower it. */
async function readUnconsentedCap(deps: RegistryDeps, plan: number): Promise<number> {
  return (await deps.chain.read("participants", "planOf", [plan])).unconsentedCap;
}

function registrationOf(input: NewPlan, implementer: number, products: number[], unconsentedCap: number) {
  const conditions: PlanConditions = {
    regions: input.regions,
    requiredEvidence: input.requiredEvidence,
    season: input.season ?? null,
    externalFactors: input.externalFactors
      ? {
          ...(input.externalFactors.season === undefined ? {} : { season: input.externalFactors.season }),
          culturalEvents: input.externalFactors.culturalEvents,
          occupationalFactors: input.externalFactors.occupationalFactors,
        }
      : null,
  };
  return {
    planId: input.planId,
    implementer,
    startDay: dayOf(input.period.startDate) ?? 0,
    endDay: dayOf(input.period.endDate) ?? 0,
    claimWindowHours: input.claimWindowHours ?? defaultPlan.claimWindowHours,
    reviewShare: Number(input.reviewShare ?? 0n),
    supplierMayIssue: input.supplierMayIssue,
    unconsentedCap,
    products,
    trustedIssuers: input.trustedIssuers,
    terms: JSON.stringify(conditions),
  };
}

async function show(deps: RegistryDeps, terms: PlanTerms, row: PlanRow | null): Promise<Plan> {
  const { implementers, products } = deps.registry;
  const listed = await Promise.all((terms.products ?? []).map((index) => products.byIndex(index)));
  return {
    planId: terms.planId,
    implementerDid: (await implementers.byIndex(terms.implementer))?.did ?? null,
    period: terms.period,
    products: listed.flatMap((product) => (product ? [product.productId] : [])),
    claimWindowHours: terms.claimWindowHours,
    trustedIssuers: terms.trustedIssuers,
    requiredEvidence: terms.requiredEvidence,
    regions: terms.regions,
    season: terms.season,
    externalFactors: terms.externalFactors,
    reviewShare: jsonScaled(BigInt(terms.reviewShare), 4),
    supplierMayIssue: terms.supplierMayIssue,
    unconsentedCap: await readUnconsentedCap(deps, terms.plan),
    index: terms.plan,
    registeredAt: row?.registeredAt.toISOString() ?? null,
    transactionHash: row?.transactionHash ?? null,
  };
}
