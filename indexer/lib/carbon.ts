import { zeroAddress } from "viem";
import { decodeClaimId, encodeClaimId, encodeConversionId } from "../../wire/src/ids.ts";
import type { carbonMove, carbonNotice } from "../ponder.schema.ts";
import type { CarbonMoveKind } from "../schema/carbon.ts";
import type { ChainEvent } from "./activity.ts";

export type Notice = typeof carbonNotice.$inferSelect;
export type Move = typeof carbonMove.$inferInsert;

/** Addresses of the contracts that give transfers of CARBON a meaning. */
export type Places = { vouchers: string; pool: string; claims: string; itmo: string };

type About = Partial<Omit<Notice, "id" | "transactionHash" | "kind">>;

/** An event's statement about the next transfer of CARBON in its transaction. */
export function noticeRow(event: Pick<ChainEvent, "transaction">, kind: Notice["kind"], about: About): Notice {
  return {
    id: "carbon",
    transactionHash: event.transaction.hash,
    kind,
    redemptionId: about.redemptionId ?? null,
    voucherId: about.voucherId ?? null,
    conversionIndex: about.conversionIndex ?? null,
    swapSequence: about.swapSequence ?? null,
  };
}

/** The row's columns of a movement, and whether the notice announced it. */
export type Step = {
  kind: CarbonMoveKind;
  fromAccount: string;
  toAccount: string;
  about: Pick<Move, "redemptionId" | "voucherId" | "conversionIndex" | "swapSequence">;
  isAnnounced: boolean;
};

const nothing = { redemptionId: null, voucherId: null, conversionIndex: null, swapSequence: null };

function kindOf(from: string, to: string, places: Places, announced: Notice["kind"]): CarbonMoveKind {
  if (from === zeroAddress) return "mint";
  if (from === places.vouchers) return to === zeroAddress ? "return" : "release";
  if (from === places.pool && announced === "purchase") return "purchase";
  if (to === places.itmo && announced === "deposit") return "deposit";
  if (from === places.itmo && announced === "give-back") return "give-back";
  if (to !== zeroAddress) return "transfer";
  return from === places.itmo && announced === "conversion" ? "conversion" : "burn";
}

/**
 * Classify a transfer. CARBON of a conversion is kept under the conversion's id, and what the claims contract only passes on
 * under the claim's, so that neither mixes with other CARBON of those contracts.
 * @param notice What the same transaction announced; `none` for nothing.
 */
export function stepOf(transfer: { from: string; to: string }, places: Places, notice: Notice): Step {
  const from = transfer.from.toLowerCase();
  const to = transfer.to.toLowerCase();
  const kind = kindOf(from, to, places, notice.kind);
  // A claim of a revoked certificate announces a release, and the pool's part is burned.
  const isBurned = kind === "return" && (notice.kind === "revocation" || notice.kind === "release");
  const isAnnounced = notice.kind === kind || isBurned;
  const about = isAnnounced ? aboutOf(notice) : nothing;
  const conversion = about.conversionIndex === null ? undefined : encodeConversionId(BigInt(about.conversionIndex));
  const passing = kind === "release" && about.redemptionId !== null && to === places.claims;
  return {
    kind,
    fromAccount: conversion !== undefined && kind !== "deposit" ? conversion : from,
    toAccount: conversion !== undefined && kind === "deposit" ? conversion : passing ? passingOf(about) : to,
    about,
    isAnnounced,
  };
}

const aboutOf = ({ redemptionId, voucherId, conversionIndex, swapSequence }: Notice) => ({
  redemptionId,
  voucherId,
  conversionIndex,
  swapSequence,
});

/** The account of a claim's CARBON on its way through the claims contract, which happens when a debt is set off. */
export const passingOf = ({ redemptionId }: { redemptionId: bigint | null }): string =>
  encodeClaimId(redemptionId ?? 0n);

/** The claim that the pool has just paid without getting its CARBON, if that was announced. */
export const claimOfBurned = ({ kind, redemptionId }: Notice): bigint | null =>
  kind === "burned-claim" ? redemptionId : null;

/** The claim whose CARBON the pool has just bought; null for a sale by the supplier itself. */
export function claimOfSale(move: Pick<Move, "kind" | "redemptionId" | "fromAccount">): bigint | null {
  if (move.kind === "release") return move.redemptionId ?? null;
  const claim = decodeClaimId(move.fromAccount);
  return claim.ok ? claim.id : null;
}
