import { encodeClaimId, encodeRedemptionId, encodeVoucherId, voucherIdOf } from "../../../wire/src/ids.ts";
import { type DecodedEvent, isoTime } from "../../platform/chain/index.ts";
import type { Described, DescribeLog, EventType } from "../../platform/events/index.ts";
import { jsonAmount } from "../../platform/values/numbers.ts";
import { certificateStatusNumber, chunkOf, LEAF_BYTES, leafAt } from "../certificates/index.ts";
import { settlementOf } from "../claims/index.ts";
import { campaignDescribers } from "./describe-campaigns.ts";
import { debtDescribers } from "./describe-debts.ts";
import { itmoDescribers } from "./describe-itmo.ts";
import { poolDescribers } from "./describe-pool.ts";
import { type Describer, nobody, on } from "./describer.ts";
import { EventLookup, type LookupSource } from "./lookup.ts";

/** Contract events and what subscribers receive for each. Other events are not published. */
const describers: ReadonlyMap<string, Describer> = new Map([
  on("certificates", "CertificateRegistered", async ({ certificate }, look) => {
    const { implementerDid, emissionCertificateId } = await look.certificate(certificate);
    return [
      {
        type: "certificate.registered",
        parties: { ...nobody, implementerDid },
        data: { emissionCertificateId, implementerDid },
      },
    ];
  }),
  on("certificates", "CertificateStatusChanged", async ({ certificate, status, reason }, look, _hash, place) => {
    const { implementerDid, emissionCertificateId } = await look.certificate(certificate);
    const word = Object.entries(certificateStatusNumber).find(([, number]) => number === status)?.[0];
    const wasRevoked = (await look.statusBefore(certificate, place)) === certificateStatusNumber.revoked;
    const veto = wasRevoked ? { vetoed: true } : {};
    const data = { emissionCertificateId, implementerDid, status: word, reason, ...veto };
    return [{ type: "certificate.status_changed", parties: { ...nobody, implementerDid }, data }];
  }),
  on("participants", "HouseholdsRegistered", async ({ firstHousehold, households }, look) => {
    const found = await look.registrations(households);
    return households.map((householdHash, position): Described => {
      const { did = null, registeredBy = null } = found.get(householdHash) ?? {};
      const parties = { ...nobody, householdDid: did, implementerDid: registeredBy };
      return { type: "household.registered", parties, data: { householdHash, index: firstHousehold + position } };
    });
  }),
  on("participants", "SupplierRegistered", async ({ did, name }) => {
    return [
      { type: "supplier.registered", parties: { ...nobody, supplierDid: did }, data: { supplierDid: did, name } },
    ];
  }),
  on("participants", "SupplierStatusChanged", async ({ supplier, authorised, reason }, look) => {
    const supplierDid = await look.supplierDid(supplier);
    const data = { supplierDid, status: authorised ? "authorised" : "suspended", reason };
    return [{ type: "supplier.status_changed", parties: { ...nobody, supplierDid }, data }];
  }),
  on("vouchers", "VoucherIssued", async ({ voucher, certificate, household, value, replaces }, look) => {
    const { implementerDid, emissionCertificateId } = await look.certificate(certificate);
    const householdDid = await look.householdDid(household);
    const replaced = replaces === 0n ? {} : { replaces: encodeVoucherId(replaces) };
    const data = { voucherId: encodeVoucherId(voucher), emissionCertificateId, value: jsonAmount(value), ...replaced };
    return [{ type: "voucher.issued", parties: { supplierDid: null, implementerDid, householdDid }, data }];
  }),
  on("vouchers", "BatchIssued", describeBatch),
  on("vouchers", "VoucherRedeemed", async ({ redemption, amount, remaining, deadline }, look) => {
    const facts = {
      amount: jsonAmount(amount),
      remainingBalance: jsonAmount(remaining),
      claimDeadline: isoTime(deadline),
    };
    return ofRedemption("voucher.redeemed", redemption, look, facts);
  }),
  on("vouchers", "VoucherSuspended", ({ voucher, reason }, look) =>
    ofVoucher("voucher.suspended", voucher, look, { reason }),
  ),
  on("vouchers", "VoucherReactivated", ({ voucher, reason }, look) =>
    ofVoucher("voucher.reactivated", voucher, look, { reason }),
  ),
  on("vouchers", "VoucherCancelled", ({ voucher, rest, reason }, look) =>
    ofVoucher("voucher.cancelled", voucher, look, { rest: jsonAmount(rest), reason }),
  ),
  on("vouchers", "VoucherSwept", ({ voucher, rest }, look) =>
    ofVoucher("voucher.swept", voucher, look, { rest: jsonAmount(rest) }),
  ),
  on("vouchers", "VoucherRevoked", ({ voucher, rest }, look) =>
    ofVoucher("voucher.revoked", voucher, look, { rest: jsonAmount(rest) }),
  ),
  on("vouchers", "RedemptionFlagged", ({ redemption, reason }, look) =>
    ofRedemption("redemption.flagged", redemption, look, { reason }),
  ),
  on("vouchers", "RedemptionReversed", ({ redemption, amount, reason }, look) =>
    ofRedemption("redemption.reversed", redemption, look, { amount: jsonAmount(amount), reason }),
  ),
  on("vouchers", "RedemptionLapsed", ({ redemption, amount }, look) =>
    ofRedemption("redemption.lapsed", redemption, look, { amount: jsonAmount(amount) }),
  ),
  on("claims", "ClaimFiled", ({ redemption, credentialHash }, look) =>
    ofClaim("claim.filed", redemption, look, { credentialHash }),
  ),
  on("claims", "ClaimHeld", ({ redemption, drawn }, look) => ofClaim("claim.flagged", redemption, look, { drawn })),
  on("claims", "ClaimPaid", (args, look, transactionHash) => {
    const settlement = settlementOf(args, transactionHash);
    return ofClaim("claim.approved", args.redemption, look, {
      carbonAmount: jsonAmount(args.carbonAmount),
      settlement,
    });
  }),
  on("claims", "ClaimRejected", ({ redemption, reason }, look) =>
    ofClaim("claim.rejected", redemption, look, { reason }),
  ),
  on("claims", "ClaimDisputed", ({ redemption, reason }, look) =>
    ofClaim("claim.disputed", redemption, look, { reason }),
  ),
  on("claims", "DisputeResolved", ({ redemption, upheld, reason }, look) =>
    ofClaim(upheld ? "claim.invalidated" : "claim.reinstated", redemption, look, { reason }),
  ),
  ...debtDescribers,
  ...campaignDescribers,
  ...itmoDescribers,
  ...poolDescribers,
]);

/** Open the translation of logs to events, with names instead of the chain's numbers. */
export function openDescriptions(sources: LookupSource): DescribeLog {
  const look = new EventLookup(sources);
  return async (log) => {
    const describe = describers.get(log.eventName);
    return describe === undefined ? [] : await describe(log.args as never, look, log.transactionHash, log);
  };
}

type BatchArgs = DecodedEvent<"vouchers", "BatchIssued">["args"];

/** Describe each voucher in a batch: the leaves are the certificate's chunk. */
async function describeBatch({ batch, certificate, chunk, count }: BatchArgs, look: EventLookup): Promise<Described[]> {
  const { implementerDid, emissionCertificateId } = await look.certificate(certificate);
  const leaves = chunkOf(await look.leavesOf(certificate), chunk);
  if (leaves.length !== count * LEAF_BYTES)
    throw new Error(`The allocation of certificate ${certificate} is not whole.`);
  const found = Array.from({ length: count }, (_, position) => leafAt(leaves, position));
  const households = await look.householdDids(found.flatMap((leaf) => (leaf ? [leaf.household] : [])));
  return found.flatMap((leaf, position): Described[] => {
    if (!leaf) return [];
    const voucherId = encodeVoucherId(voucherIdOf(batch, position));
    const parties = { supplierDid: null, implementerDid, householdDid: households.get(leaf.household) ?? null };
    return [
      { type: "voucher.issued", parties, data: { voucherId, emissionCertificateId, value: jsonAmount(leaf.amount) } },
    ];
  });
}

async function ofVoucher(type: EventType, voucher: bigint, look: EventLookup, facts: object): Promise<Described[]> {
  const { emissionCertificateId, implementerDid, householdDid } = await look.voucher(voucher);
  const parties = { supplierDid: null, implementerDid, householdDid };
  return [{ type, parties, data: { voucherId: encodeVoucherId(voucher), emissionCertificateId, ...facts } }];
}

async function ofRedemption(
  type: EventType,
  redemption: bigint,
  look: EventLookup,
  facts: object,
): Promise<Described[]> {
  const { parties, ...named } = await look.redemption(redemption);
  return [{ type, parties, data: { redemptionId: encodeRedemptionId(redemption), ...named, ...facts } }];
}

async function ofClaim(type: EventType, redemption: bigint, look: EventLookup, facts: object): Promise<Described[]> {
  return ofRedemption(type, redemption, look, { claimId: encodeClaimId(redemption), ...facts });
}
