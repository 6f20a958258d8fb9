import { codeBytes, itmoCancellations, itmoPurposes } from "../../../indexer/schema/itmo-words.ts";
import { type RuleDetail, refuseBrokenRules } from "../../platform/errors.ts";
import type { RequestContext } from "../../platform/http/index.ts";
import { actOn } from "./act.ts";
import type { ItmoActionDone, NewCancellation, NewTransfer, NewUse } from "./block-schemas.ts";
import type { KnownBlock } from "./blocks.ts";
import type { ItmoDeps } from "./deps.ts";
import { ruleError } from "./errors.ts";
import { partOf } from "./part.ts";

/**
 * Record a transfer of a block or a part of it to another Party.
 * @throws AppError FORBIDDEN, NOT_FOUND, CONFLICT (not held, or already held by that Party), RULE_VIOLATION, UNAVAILABLE (the cap)
 */
export async function transferBlock(
  deps: ItmoDeps,
  ctx: RequestContext,
  blockId: string,
  input: NewTransfer,
): Promise<ItmoActionDone> {
  return actOn(deps, ctx, blockId, async (known) => {
    const broken: RuleDetail[] = [];
    const part = partOf(known, input, broken);
    const { acquiringPartyId } = input;
    const { ledger } = deps.itmo;
    if (!(await ledger.participates(known.approach.approach, acquiringPartyId))) {
      const message = "The Party does not take part in the cooperative approach.";
      broken.push({ path: "acquiringPartyId", rule: "party-participates", message });
    }
    refuseBrokenRules(broken, "The transfer breaks rules.");
    if (known.block.party === acquiringPartyId) {
      throw ruleError("CONFLICT", "acquiringPartyId", "party-differs", "The Party holds the block already.");
    }
    const args = [part, codeBytes(acquiringPartyId), input.note ?? ""] as const;
    return { functionName: "transfer", args, purpose: "itmo.transfer" };
  });
}

/**
 * Record a use towards the NDC of the Party that holds the block, or for another international mitigation purpose.
 * @throws AppError FORBIDDEN, NOT_FOUND, CONFLICT (not held, or not transferred), RULE_VIOLATION, UNAVAILABLE (the cap)
 */
export async function useBlock(
  deps: ItmoDeps,
  ctx: RequestContext,
  blockId: string,
  input: NewUse,
): Promise<ItmoActionDone> {
  return actOn(deps, ctx, blockId, async (known) => {
    const broken: RuleDetail[] = [];
    const part = partOf(known, input, broken);
    const note = input.note ?? "";
    if ("ndcYear" in input) {
      checkNdcUse(known, input.ndcYear, broken);
      return { functionName: "useForNdc", args: [part, input.ndcYear, note] as const, purpose: "itmo.use" };
    }
    const { purpose, entityId } = input;
    if (!coversOimp(known.authorization.purpose, purpose)) {
      const message = `The authorization is for ${known.authorization.purpose}, not for ${purpose}.`;
      broken.push({ path: "purpose", rule: "purpose-authorized", message });
    }
    await checkEntity(deps, known, entityId, broken);
    refuseBrokenRules(broken, "The use breaks rules.");
    const args = [part, itmoPurposes.indexOf(purpose) + 1, entityId ?? "", note] as const;
    return { functionName: "useForOimp", args, purpose: "itmo.use" };
  });
}

/**
 * Record a cancellation: voluntary, for overall mitigation in global emissions (OMGE), or another.
 * @throws AppError FORBIDDEN, NOT_FOUND, CONFLICT (not held), RULE_VIOLATION, UNAVAILABLE (the cap)
 */
export async function cancelBlock(
  deps: ItmoDeps,
  ctx: RequestContext,
  blockId: string,
  input: NewCancellation,
): Promise<ItmoActionDone> {
  return actOn(deps, ctx, blockId, async (known) => {
    const broken: RuleDetail[] = [];
    const part = partOf(known, input, broken);
    await checkEntity(deps, known, input.entityId, broken);
    refuseBrokenRules(broken, "The cancellation breaks rules.");
    const args = [part, itmoCancellations.indexOf(input.kind), input.entityId ?? "", input.reason] as const;
    return { functionName: "cancel", args, purpose: "itmo.cancel" };
  });
}

/**
 * Check a use towards an NDC.
 * @throws AppError RULE_VIOLATION naming every broken rule, CONFLICT if the block was never transferred
 */
function checkNdcUse({ block, authorization, approach }: KnownBlock, ndcYear: number, broken: RuleDetail[]): void {
  if (authorization.purpose !== "NDC" && !authorization.purpose.startsWith("NDC and")) {
    const message = `The authorization is for ${authorization.purpose}, not for NDC.`;
    broken.push({ path: "ndcYear", rule: "purpose-authorized", message });
  }
  const { ndcFirstYear, ndcLastYear } = approach;
  if (ndcYear < ndcFirstYear || ndcYear > ndcLastYear) {
    const message = `The year must be between ${ndcFirstYear} and ${ndcLastYear}, the NDC implementation period.`;
    broken.push({ path: "ndcYear", rule: "ndc-year", message });
  }
  refuseBrokenRules(broken, "The use breaks rules.");
  if (block.party !== approach.firstTransferringPartyId) return;
  const message = "The first transferring Party holds the block: it must be transferred before another can use it.";
  throw ruleError("CONFLICT", "blockId", "first-transferred", message);
}

async function checkEntity(
  deps: ItmoDeps,
  { authorization }: KnownBlock,
  entityId: string | undefined,
  broken: RuleDetail[],
): Promise<void> {
  if (entityId === undefined) return;
  if (await deps.itmo.ledger.isAuthorizedEntity(authorization.authorization, entityId)) return;
  broken.push({ path: "entityId", rule: "entity-authorized", message: "The entity is not authorized." });
}

/** OIMP covers both IMP and OP; a use for OIMP needs an authorization that says OIMP. */
function coversOimp(authorized: string, purpose: "OIMP" | "IMP" | "OP"): boolean {
  const words = authorized.split(" and ");
  return words.includes("OIMP") || (purpose !== "OIMP" && words.includes(purpose));
}
