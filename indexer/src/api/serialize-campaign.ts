import type { campaign, discardedDraw, drawParty, kptClaim, missingPosition, replacement } from "ponder:schema";
import type { Measured } from "./campaign-trace.ts";
import { date, origin, type Row, time, whole } from "./serialize.ts";

const serializeReplacement = (row: Row<typeof replacement>) => ({
  dropped: row.dropped,
  replacement: row.replacement,
  reason: row.reason,
  ...origin(row, row.replacedAt),
});

const serializeParty = (row: Row<typeof drawParty>) => ({
  round: row.round,
  kind: row.kind,
  account: row.account,
  commitment: row.commitment,
  secret: row.secret,
  revealTransactionHash: row.revealTransactionHash,
  withheldTransactionHash: row.withheldTransactionHash,
  ...origin(row, row.committedAt),
});

const serializeDiscarded = (row: Row<typeof discardedDraw>) => ({
  round: row.round,
  reason: row.reason,
  operator: row.operator,
  secondParty: row.secondParty,
  drawBlock: whole(row.drawBlock),
  seed: row.seed,
  ...origin(row, row.discardedAt),
});

const serializeMissing = (row: Row<typeof missingPosition>) => ({
  position: row.position,
  reason: row.reason,
  ...origin(row, row.markedAt),
});

const serializeDraw = (row: Row<typeof campaign>) =>
  row.seed === null || row.drawBlock === null
    ? null
    : {
        drawBlock: whole(row.drawBlock),
        drawBlockHash: row.drawBlockHash,
        seed: row.seed,
        twoParties: row.twoParties,
        drawnAt: row.drawnAt === null ? null : time(row.drawnAt),
        transactionHash: row.drawTransactionHash,
      };

const serializeResult = (row: Row<typeof campaign>) =>
  row.closedAt === null
    ? null
    : { resultHash: row.resultHash, closedAt: time(row.closedAt), transactionHash: row.closeTransactionHash };

/** Serialize a campaign without its claims. Households appear only as positions in the draw order. */
export function serializeCampaign({ campaign: row, planId, parties, discarded, replacements, missing }: Measured) {
  const dropped = (group: string) =>
    replacements.filter(({ testGroup }) => testGroup === group).map(serializeReplacement);
  const gone = (group: string) => missing.filter(({ testGroup }) => testGroup === group).map(serializeMissing);
  return {
    campaignId: row.campaignId,
    planId,
    status: row.status,
    testPeriod: { startDate: date(row.startDay), endDate: date(row.endDay) },
    sampleSize: row.sampleSize,
    terms: row.terms,
    termsVersion: row.termsVersion,
    abandonmentReason: row.abandonmentReason,
    groups: {
      reference: {
        root: row.referenceRoot,
        frameSize: row.referenceSize,
        drawnTo: row.referenceDrawnTo,
        claims: row.referenceClaims,
        replacements: dropped("reference"),
        missing: gone("reference"),
      },
      intervention: {
        root: row.interventionRoot,
        frameSize: row.interventionSize,
        drawnTo: row.interventionDrawnTo,
        claims: row.interventionClaims,
        replacements: dropped("intervention"),
        missing: gone("intervention"),
      },
    },
    postponements: row.postponements,
    drawParties: parties.map(serializeParty),
    discardedDraws: discarded.map(serializeDiscarded),
    draw: serializeDraw(row),
    result: serializeResult(row),
    certificationTransactionHash: row.certificationTransactionHash,
    ...origin(row, row.committedAt),
  };
}

export const serializeKptClaim = (row: Row<typeof kptClaim>) => ({
  id: row.publicId,
  status: row.status,
  testGroup: row.testGroup,
  position: row.position,
  number: whole(row.number),
  claimHash: row.claimHash,
  credentialHash: row.credentialHash,
  revocation:
    row.revokedAt === null
      ? null
      : {
          reason: row.revocationReason,
          revokedAt: time(row.revokedAt),
          transactionHash: row.revocationTransactionHash,
        },
  ...origin(row, row.recordedAt),
});
