import {
  type DecodedId,
  decodeClaimId,
  decodeRedemptionId,
  encodeRedemptionId,
  encodeVoucherId,
  voucherOfRedemption,
} from "../../../wire/src/ids.ts";
import { AppError, brokenRuleError, defineRules } from "../../platform/errors.ts";
import type { Actor, RequestContext } from "../../platform/http/index.ts";
import type { PlanTerms } from "../registry/index.ts";
import type { ClaimDeps } from "./deps.ts";

/** A redemption's statuses by their number in the ledger (contracts/vouchers/IVouchers.sol). */
export const redemptionStates = [
  "none",
  "open",
  "reversed",
  "lapsed",
  "under-review",
  "settled",
  "rejected",
  "disputed",
  "invalidated",
] as const;
export type RedemptionState = (typeof redemptionStates)[number];

/** Everything that a delivery claim is checked for. Times are chain time in seconds, amounts micro-CARBON. */
export type RedemptionFacts = {
  redemption: bigint;
  redemptionId: string;
  voucherId: string;
  state: RedemptionState;
  amount: bigint;
  redeemedAt: bigint;
  deadline: bigint;
  supplierDid: string;
  productId: string;
  product: number;
  householdDid: string | null;
  /** The household's region, or else the supplier's. */
  region: string | null;
  implementerDid: string | null;
  plan: PlanTerms;
};

/**
 * Read a redemption that the actor may see.
 * @throws AppError NOT_FOUND when there is none or the actor may not see it
 */
export async function readRedemption(
  deps: Pick<ClaimDeps, "chain" | "certificates" | "registry">,
  ctx: RequestContext,
  redemptionId: string,
): Promise<RedemptionFacts> {
  const decoded = decodeRedemptionId(redemptionId);
  if (!decoded.ok) throw unknownRedemption(redemptionId, decoded.reason === "checksum");
  const facts = await readFacts(deps, decoded.id);
  if (!facts || !maySee(ctx.actor, facts)) throw unknownRedemption(redemptionId);
  return facts;
}

/** Read the redemption of a claim; both ids contain the same number. @throws AppError NOT_FOUND */
export async function readRedemptionOfClaim(
  deps: Pick<ClaimDeps, "chain" | "certificates" | "registry">,
  ctx: RequestContext,
  claimId: string,
): Promise<RedemptionFacts> {
  const redemption = requireId(decodeClaimId(claimId), `claim ${claimId}`);
  const facts = await readFacts(deps, redemption);
  if (!facts || !maySee(ctx.actor, facts)) throw notFound(`claim ${claimId}`);
  return facts;
}

/** Whether an actor may see records of these participants. */
export function maySee(actor: Actor, of: { supplierDid: string | null; implementerDid: string | null }): boolean {
  if (actor.role === "supplier") return actor.supplierDid === of.supplierDid;
  if (actor.role === "implementer") return actor.implementerDid === of.implementerDid;
  if (actor.role !== "integrator" || actor.dids === null) return true;
  const { dids } = actor;
  return [of.supplierDid, of.implementerDid].some((did) => did !== null && dids.includes(did));
}

const broken = defineRules({
  "redemption-unknown": ["redemption-exists", "There is no redemption {id}."],
  "redemption-mistyped": [
    "redemption-exists",
    "There is no redemption {id}. Its check symbol does not fit: was it mistyped?",
  ],
});

/** Build the 404 for a redemption that there is not, or that the actor may not see. */
function unknownRedemption(id: string, isMistyped = false): AppError {
  const code = isMistyped ? "redemption-mistyped" : "redemption-unknown";
  return brokenRuleError("NOT_FOUND", broken(code, undefined, { id }));
}

export function notFound(what: string, hint = ""): AppError {
  return new AppError("NOT_FOUND", `There is no ${what}.${hint}`);
}

function requireId(decoded: DecodedId, what: string): bigint {
  if (decoded.ok) return decoded.id;
  throw notFound(what, decoded.reason === "checksum" ? " Its check symbol does not fit: was it mistyped?" : "");
}

export async function readFacts(
  deps: Pick<ClaimDeps, "chain" | "certificates" | "registry">,
  redemption: bigint,
): Promise<RedemptionFacts | undefined> {
  const { chain, certificates, registry } = deps;
  const [record, voucher] = await Promise.all([
    chain.read("vouchers", "redemptionOf", [redemption]),
    chain.read("vouchers", "voucherOf", [voucherOfRedemption(redemption)]),
  ]);
  const state = redemptionStates[record.status] ?? "none";
  if (state === "none") return undefined;
  const [supplier, product, household, certificate, plan] = await Promise.all([
    registry.suppliers.byIndex(record.supplier),
    registry.products.byIndex(record.product),
    registry.households.byIndex(voucher.household),
    certificates.byIndex(voucher.certificate),
    registry.plans.termsOf(voucher.plan),
  ]);
  if (!supplier || !product) throw new Error(`The registry does not know the parties of redemption ${redemption}.`);
  const implementer = certificate && (await registry.implementers.byIndex(certificate.implementer));
  const deadline = BigInt(record.deadline);
  return {
    redemption,
    redemptionId: encodeRedemptionId(redemption),
    voucherId: encodeVoucherId(voucherOfRedemption(redemption)),
    state,
    amount: record.amount,
    redeemedAt: deadline - BigInt(voucher.claimWindowHours) * 3600n,
    deadline,
    supplierDid: supplier.did,
    productId: product.productId,
    product: product.product,
    householdDid: household?.did ?? null,
    region: household?.region ?? supplier.region,
    implementerDid: implementer?.did ?? null,
    plan,
  };
}
