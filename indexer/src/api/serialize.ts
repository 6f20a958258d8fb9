import type {
  activity,
  certificate,
  claim,
  dispute,
  household,
  implementer,
  payment,
  product,
  redemption,
  supplier,
  voucher,
} from "ponder:schema";
import { LosslessNumber } from "lossless-json";
import { isoDate, isoTime } from "../../../wire/src/chain-values.ts";
import { encodeKptClaimId, encodeRedemptionId, encodeVoucherId } from "../../../wire/src/ids.ts";

export type Row<T extends { $inferSelect: unknown }> = T["$inferSelect"];

/** Micro-units as a JSON number with exactly their digits. */
export function amount(micro: bigint): LosslessNumber {
  const digits = micro.toString().padStart(7, "0");
  const fraction = digits.slice(-6).replace(/0+$/, "");
  return new LosslessNumber(fraction === "" ? digits.slice(0, -6) : `${digits.slice(0, -6)}.${fraction}`);
}

export const whole = (value: bigint) => new LosslessNumber(value.toString());
export { isoDate as date, isoTime as time };

/** Where on chain it happened. */
export const origin = (row: { blockNumber: bigint; transactionHash: string }, at: bigint) => ({
  transactionHash: row.transactionHash,
  blockNumber: whole(row.blockNumber),
  timestamp: isoTime(at),
});

export const serializeCertificate = (row: Row<typeof certificate>, owner: Row<typeof implementer> | undefined) => ({
  certificateId: row.certificateId,
  activityId: row.activityId,
  implementerDid: owner?.did ?? null,
  vintage: row.vintage,
  period: { startDate: isoDate(row.periodStart), endDate: isoDate(row.periodEnd) },
  underlyingUnits: { registry: row.registry, firstSerial: `${row.firstSerial}`, lastSerial: `${row.lastSerial}` },
  verifiedReduction: amount(row.verifiedReduction),
  issued: amount(row.issued),
  status: row.status,
  credentialHash: row.credentialHash,
  ...origin(row, row.registeredAt),
});

export const serializeVoucher = (row: Row<typeof voucher>, holder: Row<typeof household> | undefined) => ({
  voucherId: row.publicId,
  householdHash: holder?.hash ?? null,
  value: amount(row.value),
  remainingBalance: amount(row.remaining),
  batchId: row.batchId,
  issuanceDate: isoDate(row.startDay),
  expiryDate: isoDate(row.expiryDay),
  status: row.status,
  replaces: row.replacesId === null ? null : encodeVoucherId(row.replacesId),
  replacedBy: row.replacedById === null ? null : encodeVoucherId(row.replacedById),
  ...origin(row, row.issuedAt),
});

export const serializeRedemption = (
  row: Row<typeof redemption>,
  seller: Row<typeof supplier> | undefined,
  item: Row<typeof product> | undefined,
) => ({
  redemptionId: row.publicId,
  supplierDid: seller?.did ?? null,
  productId: item?.productId ?? null,
  amount: amount(row.amount),
  status: row.status,
  claimDeadline: isoTime(row.deadline),
  consent: row.consent,
  householdAuthorised: row.authorized,
  refundedTo: row.refundedTo,
  refundTransactionHash: row.refundTransactionHash,
  ...origin(row, row.redeemedAt),
});

export const serializePayment = (row: Row<typeof payment>) => ({
  asset: row.asset,
  amount: amount(row.amount),
  setOff: amount(row.setOff),
  account: row.account,
  fallbackReason: row.fallbackReason,
  ...origin(row, row.paidAt),
});

const serializeDispute = (row: Row<typeof dispute>) => ({
  challenger: row.challenger,
  stake: amount(row.stake),
  reason: row.reason,
  openedAt: isoTime(row.openedAt),
  transactionHash: row.transactionHash,
  upheld: row.upheld,
  resolution: row.resolution,
  resolutionTransactionHash: row.resolutionTransactionHash,
});

export const serializeClaim = (
  row: Row<typeof claim>,
  paid: Row<typeof payment> | undefined,
  disputes: Row<typeof dispute>[],
) => ({
  id: row.publicId,
  status: row.status,
  carbonAmount: amount(row.carbonAmount),
  credentialHash: row.credentialHash,
  rejectionReason: row.rejectionReason,
  ...origin(row, row.filedAt),
  payment: paid === undefined ? null : serializePayment(paid),
  disputes: disputes.map(serializeDispute),
});

export const serializeActivity = (row: Row<typeof activity>) => ({
  event: row.event,
  voucherId: row.voucherId === null ? null : encodeVoucherId(row.voucherId),
  redemptionId: row.redemptionId === null ? null : encodeRedemptionId(row.redemptionId),
  kptClaimId: row.kptClaimId === null ? null : encodeKptClaimId(row.kptClaimId),
  data: row.data,
  logIndex: row.logIndex,
  ...origin(row, row.timestamp),
});
