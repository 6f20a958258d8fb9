import { dayOf, eventsIn, submitCall } from "../../platform/chain/index.ts";
import { AppError, type RuleDetail, refuseBrokenRules } from "../../platform/errors.ts";
import { type RequestContext, requireRoleOrScope } from "../../platform/http/index.ts";
import { formatScaled } from "../../platform/values/numbers.ts";
import {
  type CertificateRow,
  type CertificateState,
  type ProvenLeaf,
  voucherReservingCall,
} from "../certificates/index.ts";
import { issueScope, requireOwnCertificate } from "./access.ts";
import type { VoucherDeps } from "./deps.ts";
import type { IssuedVoucher, IssueRequest, VoucherAttributes } from "./schemas.ts";
import { dayOfSeconds, serializeVoucher } from "./serialize-voucher.ts";
import type { VoucherFacts } from "./voucher-ledger.ts";

export type Days = { startDay: number; expiryDay: number };

/** The records that the request names; null where there is none. */
type Named = {
  certificate: { index: number; row: CertificateRow; state: CertificateState } | null;
  household: number | null;
  leaf: ProvenLeaf | null;
};

/**
 * Issue one voucher from a certificate.
 * @throws AppError FORBIDDEN (another implementer's certificate), CONFLICT (issued already, or a campaign's certificate counts the
 * household's year), RULE_VIOLATION with every broken rule
 */
export async function issueVoucher(
  deps: VoucherDeps,
  ctx: RequestContext,
  input: IssueRequest,
): Promise<IssuedVoucher> {
  requireRoleOrScope(ctx.actor, issueScope, "implementer");
  const named = await lookUp(deps, input);
  if (named.certificate !== null) await requireOwnCertificate(deps, ctx, named.certificate.index, issueScope);
  await refuseIssuedBefore(deps, named);
  const days = daysOf(input.attributes);
  refuseBrokenRules(brokenRules(input, named, days), "The voucher breaks the rules of issue.");
  const { certificate, household, leaf } = named;
  if (certificate === null || household === null) throw new Error("An issue without its parties passed the rules.");
  const isUnallocated = certificate.state.allocationCount === 0;
  const mined = await submitCall(deps, ctx, {
    ...(isUnallocated ? voucherReservingCall(deps, certificate.row, household) : {}),
    sender: "operator",
    contract: "vouchers",
    functionName: "issue",
    args: [
      {
        certificate: certificate.index,
        leaf: leaf?.leaf ?? 0,
        household,
        value: input.value,
        ...days,
        batchId: input.attributes.batchId,
        proof: leaf?.proof ?? [],
      },
    ],
    purpose: "voucher.issue",
  });
  const at = { contract: "vouchers", address: deps.chain.addresses.vouchers, eventName: "VoucherIssued" } as const;
  const [event] = eventsIn(mined.logs, at);
  if (event === undefined) throw new Error(`Transaction ${mined.transactionHash} issued no voucher.`);
  const { voucher: id, value, batchId } = event.args;
  const origin = { replaces: undefined, issueTransactionHash: mined.transactionHash, leaf: undefined, plan: undefined };
  const facts: VoucherFacts = { id, certificate: certificate.index, household, value, ...days, batchId, ...origin };
  const today = dayOfSeconds(mined.blockTimestamp);
  const shown = await serializeVoucher(
    deps,
    ctx,
    facts,
    { status: "active", remaining: value, expiryDay: days.expiryDay },
    today,
  );
  return { ...shown, transactionHash: mined.transactionHash, ...warningsFor(days, today) };
}

/** A voucher with past dates can be issued but not redeemed, so this is a warning and not an error. */
function warningsFor({ expiryDay }: Days, today: number): Pick<IssuedVoucher, "warnings"> {
  if (today <= expiryDay) return {};
  const message = "The expiry date has passed: the voucher cannot be redeemed.";
  return { warnings: [{ rule: "not-already-expired", message }] };
}

export function daysOf({ issuanceDate, expiryDate }: VoucherAttributes): Days {
  const [startDay, expiryDay] = [dayOf(issuanceDate), dayOf(expiryDate)];
  if (startDay === null || expiryDay === null) throw new Error("A date that does not exist passed the schema.");
  return { startDay, expiryDay };
}

async function lookUp(deps: VoucherDeps, input: IssueRequest): Promise<Named> {
  const { certificates } = deps;
  const { households } = deps.registry;
  const [row, household] = await Promise.all([
    certificates.byId(input.emissionCertificateId),
    households.byDid(input.recipientDid),
  ]);
  const index = household?.household ?? null;
  if (row === null) return { certificate: null, household: index, leaf: null };
  const [state, leaf] = await Promise.all([
    certificates.stateOf(row.certificate),
    index === null ? null : certificates.leafOf(row.certificate, index),
  ]);
  return { certificate: { index: row.certificate, row, state }, household: index, leaf };
}

async function refuseIssuedBefore(deps: VoucherDeps, { certificate, leaf }: Named): Promise<void> {
  if (certificate === null) return;
  const whole = certificate.state.allocationCount === 0;
  if (!whole && leaf === null) return;
  const issued = await deps.chain.read("certificates", "isLeafIssued", [certificate.index, leaf?.leaf ?? 0]);
  if (!issued) return;
  const message = whole
    ? "The certificate's voucher has been issued already."
    : "The certificate has a voucher for this household already.";
  const path = whole ? "emissionCertificateId" : "recipientDid";
  throw new AppError("CONFLICT", message, { details: [{ path, rule: "issued-once", message }] });
}

function brokenRules(input: IssueRequest, { certificate, household, leaf }: Named, days: Days): RuleDetail[] {
  const broken: RuleDetail[] = [];
  const add = (path: string, rule: string, message: string) => broken.push({ path, rule, message });
  if (certificate === null) {
    add("emissionCertificateId", "certificate-exists", `There is no certificate ${input.emissionCertificateId}.`);
  } else if (certificate.state.status !== "valid") {
    add("emissionCertificateId", "certificate-valid", `The certificate is ${certificate.state.status}, not valid.`);
  }
  if (household === null) {
    add("recipientDid", "recipient-registered", `The household ${input.recipientDid} is not registered.`);
  }
  const expected = expectedValue({ certificate, household, leaf });
  if (expected === 0n) {
    add("value", "value-matches-reduction", "The certificate allocates nothing to this household.");
  } else if (expected !== undefined && expected !== input.value) {
    const exact = formatScaled(expected, 6);
    add("value", "value-matches-reduction", `The value must equal the verified reduction of this household, ${exact}.`);
  }
  broken.push(...datesOrdered(days));
  return broken;
}

/**
 * Compute the amount that the voucher must have; undefined while it is unknown, 0 for a household without allocation.
 */
function expectedValue({ certificate, household, leaf }: Named): bigint | undefined {
  if (certificate === null) return undefined;
  if (certificate.state.allocationCount === 0) return certificate.state.verifiedReduction;
  if (household === null || certificate.state.status === "pending") return undefined;
  return leaf?.amount ?? 0n;
}

export function datesOrdered({ startDay, expiryDay }: Days): RuleDetail[] {
  if (startDay <= expiryDay) return [];
  const message = "The expiry date must not be before the issuance date.";
  return [{ path: "attributes.expiryDate", rule: "dates-ordered", message }];
}
