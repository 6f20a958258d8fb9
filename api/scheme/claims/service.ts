import { encodeClaimId } from "../../../wire/src/ids.ts";
import {
  type AppError,
  brokenRuleError,
  defineRules,
  type RuleDetail,
  refuseBrokenRules,
} from "../../platform/errors.ts";
import {
  type RequestContext,
  requireOwnSupplier,
  requireRoleOrScope,
  requireScope,
} from "../../platform/http/index.ts";
import type { Credential } from "../verification/index.ts";
import type { ClaimDeps } from "./deps.ts";
import { errorOf } from "./errors.ts";
import { notFound, type RedemptionFacts, readRedemption, readRedemptionOfClaim } from "./facts.ts";
import { claimOf, readTrail, trailIn } from "./records.ts";
import { brokenSubjectRules, brokenTimeLimit } from "./rules.ts";
import type { Claim, DeliveryClaimRequest } from "./schemas.ts";
import type { ClaimOutcome } from "./settlement.ts";

export const CLAIM_SCOPE = "claims:write";
const CREDENTIAL_TYPE = "ProductDeliveryCredential";

const broken = defineRules({
  "issuer-not-trusted": [
    "issuer-trusted",
    "{issuerDid} is not trusted to issue delivery credentials under monitoring plan {planId}.",
  ],
  "credential-used-already": ["credential-unused", "The credential was used for claim {claimId}."],
  "redemption-reversed": ["redemption-open", "Redemption {redemptionId} was reversed; it cannot be claimed."],
  "redemption-lapsed": ["redemption-open", "Redemption {redemptionId} was lapsed; it cannot be claimed."],
  "redemption-claimed-already": ["claimed-once", "Redemption {redemptionId} has been claimed already: {claimId}."],
});

/**
 * File a delivery claim: verify its credential, record it on chain and pay it, in one transaction. If the plan has a
 * share of reviews, a later block first draws whether the claim is reviewed.
 * @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT (claimed, reversed or lapsed), RULE_VIOLATION with every broken rule
 * @throws PendingTransactionError when the block does not come in time
 */
export async function fileClaim(deps: ClaimDeps, ctx: RequestContext, input: DeliveryClaimRequest): Promise<Claim> {
  const { collector } = deps.claims;
  requireRoleOrScope(ctx.actor, CLAIM_SCOPE, "supplier");
  const facts = await readRedemption(deps, ctx, input.redemptionId);
  requireOwnSupplier(ctx.actor, facts.supplierDid, CLAIM_SCOPE);
  const outcome = await collector.once(ctx.idempotencyKey, () => acceptCredential(deps, input, facts));
  return claimFromOutcome(deps, ctx, facts, outcome);
}

/**
 * Check a claim as fileClaim does and store its credential, without filing it: for suppliers that send their own
 * transaction.
 * @throws AppError as fileClaim
 */
export async function checkClaim(
  deps: ClaimDeps,
  ctx: RequestContext,
  input: Pick<DeliveryClaimRequest, "redemptionId" | "verifiableCredential">,
): Promise<ClaimOrder> {
  requireRoleOrScope(ctx.actor, CLAIM_SCOPE, "supplier");
  const facts = await readRedemption(deps, ctx, input.redemptionId);
  requireOwnSupplier(ctx.actor, facts.supplierDid, CLAIM_SCOPE);
  return acceptCredential(deps, input, facts);
}

type ClaimOrder = { redemption: bigint; credentialHash: `0x${string}` };

async function acceptCredential(
  deps: ClaimDeps,
  input: Pick<DeliveryClaimRequest, "verifiableCredential">,
  facts: RedemptionFacts,
): Promise<ClaimOrder> {
  if (facts.state !== "open") throw notClaimable(facts);
  const credential = await requireCredential(deps, input.verifiableCredential, facts);
  await deps.claims.store.saveCredential({
    credentialHash: credential.credentialHash,
    redemptionId: facts.redemptionId,
    issuer: credential.issuerDid,
    token: credential.jwt,
    createdAt: deps.clock.now(),
  });
  return { redemption: facts.redemption, credentialHash: credential.credentialHash };
}

/** Read a claim. @throws AppError FORBIDDEN; NOT_FOUND when there is none or the actor may not see it */
export async function getClaim(deps: ClaimDeps, ctx: RequestContext, claimId: string): Promise<Claim> {
  requireScope(ctx.actor, CLAIM_SCOPE);
  const facts = await readRedemptionOfClaim(deps, ctx, claimId);
  const trail = await readTrail(deps.chain, facts.redemption);
  if (!trail) throw notFound(`claim ${claimId}`);
  return claimOf(facts, trail);
}

/**
 * Verify the credential. @throws AppError RULE_VIOLATION with every rule that the credential or the redemption breaks
 */
async function requireCredential(deps: ClaimDeps, input: unknown, facts: RedemptionFacts): Promise<Credential> {
  const { verifier, chain, clock } = deps;
  const verdict = await verifier.verifyCredential(input, { type: CREDENTIAL_TYPE, now: clock.now() });
  const stated = verdict.verified ? verdict.credential : verdict.stated;
  const problems: RuleDetail[] = verdict.verified ? [] : verdict.broken;
  const now = await chain.now();
  // The time to the deadline does not run while the operator's cap is 0 and nothing can be claimed.
  const stoppedSeconds = now > facts.deadline ? await chain.read("claims", "stoppedSince", [facts.redeemedAt]) : 0n;
  const due = { ...facts, deadline: facts.deadline + stoppedSeconds };
  problems.push(...brokenTimeLimit(due, now));
  if (stated) {
    problems.push(...brokenSubjectRules(stated.subject, due));
    const [trust, used] = await Promise.all([brokenTrust(deps, stated, facts), brokenUse(deps, stated)]);
    problems.push(...trust, ...used);
  }
  refuseBrokenRules(problems, "The claim breaks the rules of the scheme.");
  if (!verdict.verified) throw new Error("A credential was refused without a broken rule.");
  return verdict.credential;
}

/**
 * Check issuer-trusted. The registry must trust the issuer now and at the credential's issue date, and the plan must
 * name the issuer if it names any. A supplier may issue its credential if the plan allows it.
 */
async function brokenTrust(deps: ClaimDeps, credential: Credential, facts: RedemptionFacts): Promise<RuleDetail[]> {
  const { issuerDid, issuedAt } = credential;
  const { plan, supplierDid } = facts;
  if (plan.supplierMayIssue && issuerDid === supplierDid) return [];
  const isNamed = plan.trustedIssuers.length === 0 || plan.trustedIssuers.includes(issuerDid);
  const at = BigInt(Math.max(0, Math.floor(issuedAt.getTime() / 1000)));
  if (isNamed && (await deps.registry.issuers.isTrusted(issuerDid, CREDENTIAL_TYPE, at))) return [];
  return [broken("issuer-not-trusted", "verifiableCredential", { issuerDid, planId: plan.planId })];
}

async function brokenUse(deps: ClaimDeps, { credentialHash, twinHash }: Credential): Promise<RuleDetail[]> {
  const hashes = twinHash === undefined ? [credentialHash] : [credentialHash, twinHash];
  const uses = await Promise.all(hashes.map((hash) => deps.chain.read("claims", "credentialRedemption", [hash])));
  const used = uses.find((redemption) => redemption !== 0n);
  if (used === undefined) return [];
  return [broken("credential-used-already", "verifiableCredential", { claimId: encodeClaimId(used) })];
}

async function claimFromOutcome(
  deps: ClaimDeps,
  ctx: RequestContext,
  facts: RedemptionFacts,
  outcome: ClaimOutcome,
): Promise<Claim> {
  const { mined, order, refusedFor } = outcome;
  if (refusedFor !== undefined) throw await refusedClaimError(deps, ctx, facts, refusedFor);
  if (order?.redemption !== facts.redemption) throw new Error("The ledger's log names another redemption.");
  const { chain, claims, config } = deps;
  const trail = trailIn(mined.logs, chain.addresses.claims, facts.redemption, mined.blockTimestamp);
  if (!trail.events.some(({ eventName }) => eventName === "ClaimAwaitsDraw")) return claimOf(facts, trail);
  // A later block's hash draws; that block pays or holds the claim.
  await claims.draws.settled(facts.redemption, config.chain.txWaitMs);
  return claimOf(facts, (await readTrail(chain, facts.redemption)) ?? trail);
}

/**
 * Build the error for a claim that the ledger refused although the checks passed: something changed before the block.
 */
async function refusedClaimError(
  deps: ClaimDeps,
  ctx: RequestContext,
  facts: RedemptionFacts,
  errorName: string,
): Promise<AppError> {
  const now = await readRedemption(deps, ctx, facts.redemptionId);
  if (now.state !== "open") return notClaimable(now);
  return errorOf(errorName);
}

function notClaimable({ state, redemption, redemptionId }: RedemptionFacts): AppError {
  const path = "redemptionId";
  const detail =
    state === "reversed" || state === "lapsed"
      ? broken(`redemption-${state}`, path, { redemptionId })
      : broken("redemption-claimed-already", path, { redemptionId, claimId: encodeClaimId(redemption) });
  return brokenRuleError("CONFLICT", detail);
}
