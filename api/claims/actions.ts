import { submitCall } from "../chain/submit.ts";
import { AppError } from "../errors.ts";
import { requireRole } from "../http/authorize.ts";
import type { ServiceContext } from "../http/context.ts";
import { notFound, type RedemptionFacts, readRedemptionOfClaim } from "./facts.ts";
import { claimOf, readTrail } from "./records.ts";
import type { Claim, ClaimStatus } from "./schemas.ts";

/** Pay a held claim. @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT */
export async function approveClaim(ctx: ServiceContext, claimId: string, reason: string): Promise<Claim> {
  const facts = await requireState(ctx, claimId, "under-review", "flagged");
  const args = [facts.redemption, reason] as const;
  const call = { contract: "claims", functionName: "approve", args, purpose: "claim.approve" } as const;
  await submitCall(ctx, { sender: "evaluator", ...call, gas: ACTION_GAS });
  return claimNow(ctx, claimId);
}

/** Refuse to pay a held claim; its redemption lapses at its deadline. @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT */
export async function rejectClaim(ctx: ServiceContext, claimId: string, reason: string): Promise<Claim> {
  const facts = await requireState(ctx, claimId, "under-review", "flagged");
  const args = [facts.redemption, reason] as const;
  const call = { contract: "claims", functionName: "reject", args, purpose: "claim.reject" } as const;
  await submitCall(ctx, { sender: "evaluator", ...call });
  return claimNow(ctx, claimId);
}

/** Dispute a paid claim. @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT */
export async function disputeClaim(ctx: ServiceContext, claimId: string, reason: string): Promise<Claim> {
  const facts = await requireState(ctx, claimId, "settled", "approved");
  const args = [facts.redemption, reason] as const;
  const call = { contract: "claims", functionName: "dispute", args, purpose: "claim.dispute" } as const;
  await submitCall(ctx, { sender: "evaluator", ...call });
  return claimNow(ctx, claimId);
}

/**
 * Adjudicate a dispute. Upheld: the claim is invalidated and its amount set off against the supplier's next payments.
 * @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT
 */
export async function resolveDispute(
  ctx: ServiceContext,
  claimId: string,
  { reason, upheld }: { reason: string; upheld: boolean },
): Promise<Claim> {
  const facts = await requireState(ctx, claimId, "disputed", "disputed");
  const args = [facts.redemption, upheld, reason] as const;
  const call = { contract: "claims", functionName: "resolve", args, purpose: "claim.resolve" } as const;
  await submitCall(ctx, { sender: "evaluator", ...call });
  return claimNow(ctx, claimId);
}

/** Paying needs gas to spare beyond what it uses (Claims.PAYMENT_GAS, FALLBACK_GAS), which no estimate finds. */
const ACTION_GAS = 1_000_000n;

async function requireState(
  ctx: ServiceContext,
  claimId: string,
  state: RedemptionFacts["state"],
  status: ClaimStatus,
): Promise<RedemptionFacts> {
  const facts = await readRedemptionOfClaim(ctx, claimId);
  if (["open", "reversed"].includes(facts.state)) throw notFound(`claim ${claimId}`);
  requireRole(ctx.actor, "evaluator");
  if (facts.state === state) return facts;
  const message = `Claim ${claimId} is not ${status}.`;
  throw new AppError("CONFLICT", message, { details: [{ path: "id", rule: "claim-status", message }] });
}

async function claimNow(ctx: ServiceContext, claimId: string): Promise<Claim> {
  const facts = await readRedemptionOfClaim(ctx, claimId);
  const trail = await readTrail(ctx.deps.chain, facts.redemption);
  if (!trail) throw notFound(`claim ${claimId}`);
  return claimOf(facts, trail);
}
