import { once, submitCall } from "../../../platform/chain/index.ts";
import { AppError } from "../../../platform/errors.ts";
import { type RequestContext, requireRole } from "../../../platform/http/index.ts";
import { jsonAmount } from "../../../platform/values/numbers.ts";
import type { VoucherDeps } from "../deps.ts";
import type { RedemptionTerms, RedemptionTermsChange } from "../schemas.ts";

/** Read the terms that apply to every redemption. */
export async function readRedemptionTerms(deps: VoucherDeps): Promise<RedemptionTerms> {
  const { perCard, perDevice } = deps.offlineOrders.limits;
  return {
    consentRequired: await deps.chain.read("vouchers", "householdAuthorizationRequired", []),
    offlineLimits: { perCard: jsonAmount(perCard), perDevice: jsonAmount(perDevice) },
  };
}

/**
 * Require the household's consent, by a signature or a code, for every redemption from now on.
 * @throws AppError FORBIDDEN, also for removing the requirement, which only the council may do; CONFLICT when it is
 * required already
 */
export async function changeRedemptionTerms(
  deps: VoucherDeps,
  ctx: RequestContext,
  { consentRequired }: RedemptionTermsChange,
): Promise<RedemptionTerms> {
  requireRole(ctx.actor, "regulator");
  if (!consentRequired) throw councilOnly();
  await once(deps, ctx, async () => {
    if ((await readRedemptionTerms(deps)).consentRequired) {
      const message = "The household's consent is required already.";
      throw new AppError("CONFLICT", message, { details: [{ rule: "consent-required", message }] });
    }
    return submitCall(deps, ctx, {
      sender: "registrar",
      contract: "vouchers",
      functionName: "setHouseholdAuthorizationRequired",
      args: [true],
      purpose: "redemption-terms.require-consent",
    });
  });
  return readRedemptionTerms(deps);
}

function councilOnly(): AppError {
  const message = "Only the council ceases to require the household's consent, by its action cease-consent.";
  return new AppError("FORBIDDEN", message, { details: [{ path: "consentRequired", rule: "role", message }] });
}
