import { type Chain, submitCall } from "../../platform/chain/index.ts";
import { AppError } from "../../platform/errors.ts";
import { type RequestContext, requireRole } from "../../platform/http/index.ts";
import type { ClaimDeps } from "./deps.ts";
import { notFound, type RedemptionFacts, readRedemptionOfClaim } from "./facts.ts";
import { claimOf, readTrail } from "./records.ts";
import type { Claim, ClaimStatus } from "./schemas.ts";

/** Pay a held claim. @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT */
export async function approveClaim(
  deps: ClaimDeps,
  ctx: RequestContext,
  claimId: string,
  reason: string,
): Promise<Claim> {
  const facts = await requireState(deps, ctx, claimId, "under-review", "flagged");
  const args = [facts.redemption, reason] as const;
  const call = { contract: "claims", functionName: "approve", args, purpose: "claim.approve" } as const;
  await submitCall(deps, ctx, { sender: "evaluator", ...call, gas: ACTION_GAS });
  return claimNow(deps, ctx, claimId);
}

/** Refuse to pay a held claim; its redemption lapses at its deadline. @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT */
export async function rejectClaim(
  deps: ClaimDeps,
  ctx: RequestContext,
  claimId: string,
  reason: string,
): Promise<Claim> {
  const facts = await requireState(deps, ctx, claimId, "under-review", "flagged");
  const args = [facts.redemption, reason] as const;
  const call = { contract: "claims", functionName: "reject", args, purpose: "claim.reject" } as const;
  await submitCall(deps, ctx, { sender: "evaluator", ...call });
  return claimNow(deps, ctx, claimId);
}

/** Dispute a paid claim. @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT */
export async function disputeClaim(
  deps: ClaimDeps,
  ctx: RequestContext,
  claimId: string,
  reason: string,
): Promise<Claim> {
  const facts = await requireState(deps, ctx, claimId, "settled", "approved");
  const args = [facts.redemption, reason] as const;
  const call = { contract: "claims", functionName: "dispute", args, purpose: "claim.dispute" } as const;
  const { actor } = ctx;
  await deps.claims.store.saveDispute({ claimId, raisedBy: actor.keyId, createdAt: deps.clock.now() });
  await submitCall(deps, ctx, { sender: challengerOf(deps.chain), ...call });
  return claimNow(deps, ctx, claimId);
}

/**
 * Choose the sender that raises disputes: the regulator, unless its account is the operator's too, then the evaluator.
 * On chain another account must resolve the dispute.
 */
function challengerOf({ senders }: Chain): "evaluator" | "registrar" {
  return senders.registrar.address === senders.operator.address ? "evaluator" : "registrar";
}

/**
 * Resolve a dispute that another party raised. If it is upheld, the claim is invalidated and its amount is deducted
 * from the supplier's next payments.
 * @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT
 */
export async function resolveDispute(
  deps: ClaimDeps,
  ctx: RequestContext,
  claimId: string,
  { reason, upheld }: { reason: string; upheld: boolean },
): Promise<Claim> {
  const facts = await requireState(deps, ctx, claimId, "disputed", "disputed");
  if (await deps.claims.store.hasRaisedDispute(claimId, ctx.actor.keyId)) {
    const message = "Who raised a dispute does not resolve it: another evaluator must.";
    throw new AppError("FORBIDDEN", message, { details: [{ rule: "dispute-needs-two", message }] });
  }
  const args = [facts.redemption, upheld, reason] as const;
  const call = { contract: "claims", functionName: "resolve", args, purpose: "claim.resolve" } as const;
  await submitCall(deps, ctx, { sender: "evaluator", ...call });
  return claimNow(deps, ctx, claimId);
}

/**
 * A payment needs more gas left over than it uses (Claims.PAYMENT_GAS, FALLBACK_GAS); a gas estimate does not show
 * this.
 */
const ACTION_GAS = 1_000_000n;

async function requireState(
  deps: ClaimDeps,
  ctx: RequestContext,
  claimId: string,
  state: RedemptionFacts["state"],
  status: ClaimStatus,
): Promise<RedemptionFacts> {
  const facts = await readRedemptionOfClaim(deps, ctx, claimId);
  if (["open", "reversed"].includes(facts.state)) throw notFound(`claim ${claimId}`);
  requireRole(ctx.actor, "evaluator");
  if (facts.state === state) return facts;
  const message = `Claim ${claimId} is not ${status}.`;
  throw new AppError("CONFLICT", message, { details: [{ path: "id", rule: "claim-status", message }] });
}

async function claimNow(deps: ClaimDeps, ctx: RequestContext, claimId: string): Promise<Claim> {
  const facts = await readRedemptionOfClaim(deps, ctx, claimId);
  const trail = await readTrail(deps.chain, facts.redemption);
  if (!trail) throw notFound(`claim ${claimId}`);
  return claimOf(facts, trail);
}
