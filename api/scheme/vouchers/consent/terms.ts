import { zeroAddress, zeroHash } from "viem";
import type { ConsentLevel } from "../../../../indexer/schema/consent-words.ts";
import type { RequestContext } from "../../../platform/http/index.ts";
import { formatScaled, jsonAmount } from "../../../platform/values/numbers.ts";
import { forbiddenSupplier, requireSupplierKey } from "../access.ts";
import type { VoucherDeps } from "../deps.ts";
import { type Limit, pinLimitOf, roomAgain, unconsentedLimitOf } from "../limits.ts";
import { findVoucher } from "../read.ts";
import type { ConsentOption, ConsentTerms, ConsentTermsQuery } from "../schemas.ts";

type Refusal = { rule: string; message: string };

/**
 * Read how the household may agree to a redemption of a voucher at a supplier, the strongest level first, and why not in the other ways.
 * Only what the ledger shows to anyone is said of the household.
 * @throws AppError NOT_FOUND (voucher), FORBIDDEN (supplier unknown, or not the key's)
 */
export async function readConsentTerms(
  deps: VoucherDeps,
  ctx: RequestContext,
  voucherId: string,
  { supplierDid, amount }: ConsentTermsQuery,
): Promise<ConsentTerms> {
  requireSupplierKey(ctx, supplierDid);
  const facts = await findVoucher(deps, ctx, voucherId);
  const { chain, registry } = deps;
  const supplier = await registry.suppliers.byDid(supplierDid);
  if (supplier === null) throw forbiddenSupplier(`The supplier ${supplierDid} is not registered.`);
  const [consentRequired, account, codes, pin, unconsented, now] = await Promise.all([
    chain.read("vouchers", "householdAuthorizationRequired", []),
    chain.read("participants", "householdAccount", [facts.household]),
    chain.read("vouchers", "codeRootOf", [facts.id]),
    pinLimitOf(deps),
    unconsentedLimitOf(deps, facts, supplier.supplier),
    chain.now(),
  ]);
  const counted = (level: "pin" | "none", limit: Limit): ConsentOption => {
    const refusal = consentRequired ? required : limitRefusal(level, limit, amount, now);
    return { ...option(level, refusal), left: jsonAmount(limit.left), limit: jsonAmount(limit.size) };
  };
  return {
    consentRequired,
    levels: [
      option("signature", account === zeroAddress ? noAccount : undefined),
      option("code", codes === zeroHash ? noCodes : undefined),
      counted("pin", pin),
      counted("none", unconsented),
    ],
  };
}

const noAccount: Refusal = {
  rule: "household-has-account",
  message: "The household has no account, so it cannot sign.",
};
const noCodes: Refusal = { rule: "voucher-has-codes", message: "No one-time codes were made for this voucher." };
const required: Refusal = {
  rule: "household-authorised",
  message: "The scheme requires the household's signature or one of its codes.",
};
const what = { pin: "by PIN", none: "without the household's consent" };
const rules = { pin: "pin-within-cap", none: "unconsented-within-cap" };

const option = (level: ConsentLevel, refusal: Refusal | undefined): ConsentOption => ({
  level,
  isAllowed: refusal === undefined,
  ...refusal,
});

function limitRefusal(
  level: "pin" | "none",
  limit: Limit,
  amount: bigint | undefined,
  now: bigint,
): Refusal | undefined {
  const rule = rules[level];
  if (limit.size === 0n) return { rule, message: `Nothing may be redeemed ${what[level]}.` };
  if (limit.left >= (amount ?? 1n)) return undefined;
  const left = `${formatScaled(limit.left, 6)} CARBON may be redeemed ${what[level]} now.`;
  return { rule, message: amount === undefined ? left : `${left} ${roomAgain(limit, amount, now)}` };
}
