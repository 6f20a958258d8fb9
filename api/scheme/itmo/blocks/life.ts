import { type ItmoPurpose, itmoCancellations, itmoPurposes } from "../../../../indexer/schema/itmo-words.ts";
import { codeBytes } from "../../../../wire/src/code-text.ts";
import type { AppError, RuleDetail } from "../../../platform/errors.ts";
import type { RequestContext } from "../../../platform/http/index.ts";
import { readReductionState, refusalOf, refuseAction } from "../authorizations/reduction-state.ts";
import type { ItmoDeps } from "../deps.ts";
import { ruleError } from "../errors.ts";
import { actOn } from "./act.ts";
import type { KnownBlock } from "./blocks.ts";
import { type Part, partOf } from "./part.ts";
import type { ItmoActionDone, NewCancellation, NewTransfer, NewUse } from "./schemas.ts";

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
    const { refusal } = await permissionOf(deps, known, part, (left) => coversNdc(left));
    refuseAction(broken, refusal, "The transfer breaks rules.");
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
      const permission = await permissionOf(deps, known, part, () => false);
      checkNdcUse(known, permission, input.ndcYear, broken);
      return { functionName: "useForNdc", args: [part, input.ndcYear, note] as const, purpose: "itmo.use" };
    }
    const { purpose, entityId } = input;
    const authorized = await permissionOf(deps, known, part, (left) => isFirstAtEnd(known, left));
    if (!coversOimp(authorized.purpose, purpose)) {
      const message = `The authorization is for ${authorized.purpose}, not for ${purpose}.`;
      broken.push({ path: "purpose", rule: "purpose-authorized", message });
    }
    await checkEntity(deps, known, entityId, broken);
    refuseAction(broken, authorized.refusal, "The use breaks rules.");
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
    const isFirst = (left: ItmoPurpose) => input.kind === "OMGE" || isFirstAtEnd(known, left);
    const { refusal } = await permissionOf(deps, known, part, isFirst);
    refuseAction(broken, refusal, "The cancellation breaks rules.");
    const args = [part, itmoCancellations.indexOf(input.kind), input.entityId ?? "", input.reason] as const;
    return { functionName: "cancel", args, purpose: "itmo.cancel" };
  });
}

/**
 * Check a use towards an NDC.
 * @throws AppError RULE_VIOLATION naming every broken rule, CONFLICT if the block was never transferred
 */
function checkNdcUse(
  { block, approach }: KnownBlock,
  { purpose, refusal }: Permission,
  ndcYear: number,
  broken: RuleDetail[],
): void {
  if (!coversNdc(purpose)) {
    const message = `The authorization is for ${purpose}, not for NDC.`;
    broken.push({ path: "ndcYear", rule: "purpose-authorized", message });
  }
  const { ndcFirstYear, ndcLastYear } = approach;
  if (ndcYear < ndcFirstYear || ndcYear > ndcLastYear) {
    const message = `The year must be between ${ndcFirstYear} and ${ndcLastYear}, the NDC implementation period.`;
    broken.push({ path: "ndcYear", rule: "ndc-year", message });
  }
  refuseAction(broken, refusal, "The use breaks rules.");
  if (block.party !== approach.firstTransferringPartyId) return;
  const message = "The first transferring Party holds the block: it must be transferred before another can use it.";
  throw ruleError("CONFLICT", "blockId", "first-transferred", message);
}

/** Purposes that a part of a block has, and why the regulator's reduction forbids the action; null when it does not. */
type Permission = { purpose: ItmoPurpose; refusal: AppError | null };

/**
 * Find what the authorization permits: all of the registration once the part was first transferred, before that what the
 * regulator has left.
 * @param isFirst whether the action would be the part's first transfer, under the purposes that are left
 */
async function permissionOf(
  deps: ItmoDeps,
  { block, authorization }: KnownBlock,
  part: Part,
  isFirst: (purpose: ItmoPurpose) => boolean,
): Promise<Permission> {
  if (block.firstTransfer !== null) return { purpose: authorization.purpose, refusal: null };
  const left = await readReductionState(deps, authorization);
  const purpose = left.purpose ?? authorization.purpose;
  const total = isFirst(purpose) ? left.firstTransferred + part.lastId - part.firstId + 1n : 0n;
  return { purpose, refusal: refusalOf(authorization, left, total) };
}

/** Whether a use for an OIMP or a cancellation is the first transfer. */
function isFirstAtEnd({ authorization }: KnownBlock, purpose: ItmoPurpose): boolean {
  return purpose !== "NDC" && authorization.firstTransferDefinition === "Use or Cancellation";
}

function coversNdc(purpose: ItmoPurpose): boolean {
  return purpose.split(" and ").includes("NDC");
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
