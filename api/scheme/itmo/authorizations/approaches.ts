import { codeBytes } from "../../../../wire/src/code-text.ts";
import { once, submitCall } from "../../../platform/chain/index.ts";
import { type RuleDetail, refuseBrokenRules } from "../../../platform/errors.ts";
import { type RequestContext, toPage } from "../../../platform/http/index.ts";
import { alreadyRegistered, indexAfter, notRegistered } from "../../registry/index.ts";
import { requireRegulator } from "../access.ts";
import type { ItmoDeps } from "../deps.ts";
import type { ApproachRow } from "../tables.ts";
import type { Approach, NewApproach } from "./schemas.ts";

/** The first implementation period of nearly every NDC. */
const usualNdcPeriod = { firstYear: 2021, lastYear: 2030 };

type Paging = { limit: number; cursor?: string | undefined };

/** Register a cooperative approach. @throws AppError FORBIDDEN, CONFLICT, RULE_VIOLATION naming every broken rule */
export async function registerApproach(deps: ItmoDeps, ctx: RequestContext, input: NewApproach): Promise<Approach> {
  requireRegulator(ctx.actor);
  const id = input.cooperativeApproachId;
  const { firstYear, lastYear } = input.ndcPeriod ?? usualNdcPeriod;
  await once(deps, ctx, async () => {
    refuseBrokenRules(brokenRules(input), "The cooperative approach breaks rules; nothing was registered.");
    if ((await deps.itmo.ledger.approachIndex(id)) !== 0) {
      throw alreadyRegistered("Cooperative approach", "cooperativeApproachId", id);
    }
    const registration = {
      approachId: codeBytes(id),
      firstTransferringParty: codeBytes(input.firstTransferringPartyId),
      participatingParties: input.participatingPartyIds.map(codeBytes),
      sectors: input.sectors,
      activityType: input.activityType,
      ndcFirstYear: firstYear,
      ndcLastYear: lastYear,
    };
    return submitCall(deps, ctx, {
      sender: "registrar",
      contract: "itmo",
      functionName: "registerApproach",
      args: [registration],
      purpose: "itmo.approach",
    });
  });
  return getApproach(deps, id);
}

/** Read a registered cooperative approach. @throws AppError NOT_FOUND */
export async function getApproach(deps: ItmoDeps, cooperativeApproachId: string): Promise<Approach> {
  const row = await deps.itmo.approaches.byId(cooperativeApproachId);
  if (row === null) throw notRegistered("Cooperative approach", cooperativeApproachId);
  return serializeApproach(row);
}

export async function listApproaches(deps: ItmoDeps, query: Paging) {
  const { itmo } = deps;
  const after = indexAfter(query.cursor);
  await itmo.approaches.catchUp();
  const rows = await itmo.stores.approaches.listAfter(after, query.limit + 1);
  const { items, nextCursor } = toPage(rows, query.limit, (row) => [row.approach]);
  return { items: items.map(serializeApproach), nextCursor };
}

function brokenRules(input: NewApproach): RuleDetail[] {
  const broken: RuleDetail[] = [];
  const { firstYear, lastYear } = input.ndcPeriod ?? usualNdcPeriod;
  if (lastYear < firstYear) {
    const message = "The last year must not be before the first.";
    broken.push({ path: "ndcPeriod.lastYear", rule: "dates-ordered", message });
  }
  for (const field of ["participatingPartyIds", "sectors"] as const) {
    for (const [i, value] of input[field].entries()) {
      if ((input[field] as string[]).indexOf(value) === i) continue;
      broken.push({ path: `${field}.${i}`, rule: "named-once", message: `${value} is named already.` });
    }
  }
  return broken;
}

function serializeApproach(row: ApproachRow): Approach {
  return {
    cooperativeApproachId: row.cooperativeApproachId,
    firstTransferringPartyId: row.firstTransferringPartyId,
    participatingPartyIds: row.participatingPartyIds,
    sectors: row.sectors,
    activityType: row.activityType,
    ndcPeriod: { firstYear: row.ndcFirstYear, lastYear: row.ndcLastYear },
    index: row.approach,
    registeredAt: row.registeredAt.toISOString(),
    transactionHash: row.transactionHash,
  };
}
