import type {
  implementer,
  itmoAction,
  itmoAuthorization,
  itmoBlock,
  itmoConversion,
  itmoLot,
  supplier,
  swap,
} from "ponder:schema";
import {
  encodeClaimId,
  encodeConversionId,
  encodeItmoBlockId,
  encodeRedemptionId,
  encodeSwapId,
  encodeVoucherId,
} from "../../../wire/src/ids.ts";
import type { Move } from "./flow.ts";
import { amount, origin, type Row, time, whole } from "./serialize.ts";

export const serializeSwap = (
  row: Row<typeof swap>,
  party: { supplier?: Row<typeof supplier> | undefined; implementer?: Row<typeof implementer> | undefined },
) => ({
  id: row.publicId,
  side: row.side,
  supplierDid: party.supplier?.did ?? null,
  implementerDid: party.implementer?.did ?? null,
  account: row.account,
  carbonAmount: amount(row.carbonAmount),
  stablecoinAmount: amount(row.stablecoinAmount),
  price: amount(row.price),
  fee: amount(row.feeAmount),
  claimId: row.claimId === null ? null : encodeClaimId(row.claimId),
  ...origin(row, row.swappedAt),
});

export const serializeMove = (row: Move) => ({
  kind: row.kind,
  from: row.fromAccount,
  to: row.toAccount,
  amount: amount(row.amount),
  swapId: row.swapSequence === null ? null : encodeSwapId(row.swapSequence),
  conversionId: row.conversionIndex === null ? null : encodeConversionId(BigInt(row.conversionIndex)),
  ...origin(row, row.movedAt),
});

export const serializeConversion = (
  row: Row<typeof itmoConversion>,
  owner: Row<typeof implementer> | undefined,
  terms: Row<typeof itmoAuthorization> | undefined,
) => ({
  id: row.publicId,
  implementerDid: owner?.did ?? null,
  authorizationId: terms?.authorizationId ?? null,
  account: row.account,
  amount: amount(row.amount),
  quantity: whole(row.quantity),
  vintage: row.vintage,
  status: row.status,
  registryId: row.registryId,
  firstId: row.firstId === null ? null : `${row.firstId}`,
  lastId: row.lastId === null ? null : `${row.lastId}`,
  ...origin(row, row.requestedAt),
  endedAt: row.endedAt === null ? null : time(row.endedAt),
  endTransactionHash: row.endTransactionHash,
  revertReason: row.revertReason,
});

const serializeAction = (row: Row<typeof itmoAction>) => ({
  action: row.action,
  subtype: row.subtype,
  firstId: `${row.firstId}`,
  lastId: `${row.lastId}`,
  transferringParty: row.transferringParty,
  acquiringParty: row.acquiringParty,
  usingParty: row.usingParty,
  usingEntity: row.usingEntity,
  purpose: row.purpose,
  ndcYear: row.ndcYear,
  note: row.note,
  logIndex: Number(row.sequence & 0xff_ffffn),
  ...origin(row, row.actedAt),
});

export const serializeBlock = (row: Row<typeof itmoBlock>, actions: Row<typeof itmoAction>[]) => ({
  id: row.publicId,
  uniqueId: row.uniqueId,
  conversionId: encodeConversionId(BigInt(row.conversionIndex)),
  registryId: row.registryId,
  firstId: `${row.firstId}`,
  lastId: `${row.lastId}`,
  quantity: whole(row.quantity),
  vintage: row.vintage,
  status: row.status,
  party: row.party,
  firstTransfer: row.firstTransfer,
  splitFrom: row.splitFromId === null ? null : encodeItmoBlockId(row.splitFromId),
  ...origin(row, row.createdAt),
  actions: actions.filter(({ blockId }) => blockId === row.id).map(serializeAction),
});

/** Serialize a lot, cut to the serials of the trace. */
export const serializeLot = (row: Row<typeof itmoLot>, certificateId: string | null) => ({
  conversionId: encodeConversionId(BigInt(row.conversionIndex)),
  offset: amount(row.offset),
  amount: amount(row.amount),
  firstSerial: `${row.firstSerial}`,
  lastSerial: `${row.lastSerial}`,
  certificateId,
  redemptionId: row.redemptionId === null ? null : encodeRedemptionId(row.redemptionId),
  voucherId: row.voucherId === null ? null : encodeVoucherId(row.voucherId),
});
