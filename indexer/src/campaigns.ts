import { campaign, discardedDraw, drawParty, eventLog, kptClaim, missingPosition, replacement } from "ponder:schema";
import { zeroAddress, zeroHash } from "viem";
import { campaignGroups, encodeKptClaimId, partsOfKptClaim } from "../../wire/src/ids.ts";
import { activityRow, type ChainEvent, ofKptClaim, sequenceOf } from "../lib/activity.ts";
import { on } from "../lib/on.ts";
import { discardReason, dropReason } from "../lib/statuses.ts";

on("Campaigns:CampaignCommitted", async ({ event, context: { db } }) => {
  const { campaign: index, plan: planIndex, registration } = event.args;
  const { plan: _same, referenceFrame, interventionFrame, ...facts } = registration;
  await db.insert(campaign).values({
    ...facts,
    index,
    planIndex,
    referenceRoot: referenceFrame.root,
    referenceSize: referenceFrame.size,
    interventionRoot: interventionFrame.root,
    interventionSize: interventionFrame.size,
    termsVersion: 1,
    status: "committed",
    drawRound: 0,
    twoParties: false,
    postponements: 0,
    referenceDrawnTo: 0,
    interventionDrawnTo: 0,
    referenceClaims: 0,
    interventionClaims: 0,
    referenceMissing: 0,
    interventionMissing: 0,
    sequence: sequenceOf(event),
    blockNumber: event.block.number,
    committedAt: event.block.timestamp,
    transactionHash: event.transaction.hash,
  });
  const subjects = { campaignIndex: index, planIndex: planIndex || null };
  await db.insert(eventLog).values(activityRow("CampaignCommitted", event, subjects));
});

on("Campaigns:CampaignAmended", async ({ event, context: { db } }) => {
  const { campaign: index, version: termsVersion, terms } = event.args;
  await db.update(campaign, { index }).set({ terms, termsVersion });
  await db.insert(eventLog).values(activityRow("CampaignAmended", event, { campaignIndex: index }));
});

on("Campaigns:CampaignAbandoned", async ({ event, context: { db } }) => {
  const { campaign: index, reason } = event.args;
  await db.update(campaign, { index }).set({ status: "abandoned", abandonmentReason: reason });
  await db.insert(eventLog).values(activityRow("CampaignAbandoned", event, { campaignIndex: index }));
});

on("Campaigns:DrawJoined", async ({ event, context: { db } }) => {
  const { campaign: index, round, party, commitment } = event.args;
  await db
    .insert(drawParty)
    .values(partyRow(event, { campaignIndex: index, round, kind: "second", account: party, commitment }));
  await db.insert(eventLog).values(activityRow("DrawJoined", event, { campaignIndex: index }));
});

on("Campaigns:DrawOpened", async ({ event, context: { db } }) => {
  const { campaign: index, round, operator, commitment, drawBlock, deadline } = event.args;
  await db
    .insert(drawParty)
    .values(partyRow(event, { campaignIndex: index, round, kind: "operator", account: operator, commitment }));
  await db.update(campaign, { index }).set({ drawBlock, revealDeadline: deadline });
  await db.insert(eventLog).values(activityRow("DrawOpened", event, { campaignIndex: index }));
});

on("Campaigns:SecretRevealed", async ({ event, context: { db } }) => {
  const { campaign: campaignIndex, round, party: account, secret } = event.args;
  await db.update(drawParty, { campaignIndex, round, account }).set({
    secret,
    revealedAt: event.block.timestamp,
    revealTransactionHash: event.transaction.hash,
  });
  await db.insert(eventLog).values(activityRow("SecretRevealed", event, { campaignIndex }));
});

on("Campaigns:SecretWithheld", async ({ event, context: { db } }) => {
  const { campaign: campaignIndex, round, party: account } = event.args;
  await db.update(drawParty, { campaignIndex, round, account }).set({
    withheldAt: event.block.timestamp,
    withheldTransactionHash: event.transaction.hash,
  });
  await db
    .update(campaign, { index: campaignIndex })
    .set({ drawRound: round + 1, drawBlock: null, revealDeadline: null });
  await db.insert(eventLog).values(activityRow("SecretWithheld", event, { campaignIndex }));
});

on("Campaigns:DrawPostponed", async ({ event, context: { db } }) => {
  const { campaign: index, drawBlock, deadline } = event.args;
  await db
    .update(campaign, { index })
    .set((row) => ({ drawBlock, revealDeadline: deadline, postponements: row.postponements + 1 }));
  await db.insert(eventLog).values(activityRow("DrawPostponed", event, { campaignIndex: index }));
});

on("Campaigns:DrawDiscarded", async ({ event, context: { db } }) => {
  const { campaign: campaignIndex, round, reason, operator, party, drawBlock, seed } = event.args;
  await db.insert(discardedDraw).values({
    campaignIndex,
    round,
    reason: discardReason(reason),
    operator,
    secondParty: party === zeroAddress ? null : party,
    drawBlock,
    seed: seed === zeroHash ? null : seed,
    sequence: sequenceOf(event),
    blockNumber: event.block.number,
    discardedAt: event.block.timestamp,
    transactionHash: event.transaction.hash,
  });
  await db.insert(eventLog).values(activityRow("DrawDiscarded", event, { campaignIndex }));
});

on("Campaigns:CampaignDrawn", async ({ event, context: { db } }) => {
  const { campaign: index, blockHash, seed, twoParties } = event.args;
  await db.update(campaign, { index }).set((row) => ({
    status: "drawn",
    drawBlockHash: blockHash,
    seed,
    twoParties,
    referenceDrawnTo: row.sampleSize,
    interventionDrawnTo: row.sampleSize,
    drawnAt: event.block.timestamp,
    drawTransactionHash: event.transaction.hash,
  }));
  await db.insert(eventLog).values(activityRow("CampaignDrawn", event, { campaignIndex: index }));
});

on("Campaigns:HouseholdReplaced", async ({ event, context: { db } }) => {
  const { campaign: index, group, dropped, replacement: position, reason, evidenceHash } = event.args;
  const testGroup = campaignGroups[group] ?? "reference";
  await db.insert(replacement).values({
    campaignIndex: index,
    testGroup,
    dropped,
    replacement: position,
    reason: dropReason(reason),
    evidenceHash,
    sequence: sequenceOf(event),
    blockNumber: event.block.number,
    replacedAt: event.block.timestamp,
    transactionHash: event.transaction.hash,
  });
  const next = position + 1;
  await db
    .update(campaign, { index })
    .set(testGroup === "reference" ? { referenceDrawnTo: next } : { interventionDrawnTo: next });
  await db.insert(eventLog).values(activityRow("HouseholdReplaced", event, { campaignIndex: index }));
});

on("Campaigns:PositionMissing", async ({ event, context: { db } }) => {
  const { campaign: index, group, position, reason, evidenceHash } = event.args;
  const testGroup = campaignGroups[group] ?? "reference";
  await db.insert(missingPosition).values({
    campaignIndex: index,
    testGroup,
    position,
    reason: dropReason(reason),
    evidenceHash,
    sequence: sequenceOf(event),
    blockNumber: event.block.number,
    markedAt: event.block.timestamp,
    transactionHash: event.transaction.hash,
  });
  await db
    .update(campaign, { index })
    .set((row) =>
      testGroup === "reference"
        ? { referenceMissing: row.referenceMissing + 1 }
        : { interventionMissing: row.interventionMissing + 1 },
    );
  await db.insert(eventLog).values(activityRow("PositionMissing", event, { campaignIndex: index }));
});

on("Campaigns:KptClaimRecorded", async ({ event, context: { db } }) => {
  const { claim: id, campaign: index, claimHash, credentialHash } = event.args;
  const { group, position, number } = partsOfKptClaim(id);
  await db.insert(kptClaim).values({
    id,
    publicId: encodeKptClaimId(id),
    sequence: sequenceOf(event),
    campaignIndex: index,
    testGroup: group,
    position,
    number: BigInt(number),
    claimHash,
    credentialHash,
    status: "verified",
    blockNumber: event.block.number,
    recordedAt: event.block.timestamp,
    transactionHash: event.transaction.hash,
  });
  await db
    .update(campaign, { index })
    .set((row) =>
      group === "reference"
        ? { referenceClaims: row.referenceClaims + 1 }
        : { interventionClaims: row.interventionClaims + 1 },
    );
  await db.insert(eventLog).values(activityRow("KptClaimRecorded", event, ofKptClaim(id)));
});

on("Campaigns:KptClaimRefused", async ({ event, context: { db } }) => {
  // It may name a campaign that there is not.
  const subjects = { kptClaimId: event.args.claim };
  await db.insert(eventLog).values(activityRow("KptClaimRefused", event, subjects));
});

on("Campaigns:KptClaimRevoked", async ({ event, context: { db } }) => {
  const { claim: id, campaign: index, reason } = event.args;
  const { testGroup } = await db.update(kptClaim, { id }).set({
    status: "revoked",
    revocationReason: reason,
    revocationSequence: sequenceOf(event),
    revokedAt: event.block.timestamp,
    revocationTransactionHash: event.transaction.hash,
  });
  await db
    .update(campaign, { index })
    .set((row) =>
      testGroup === "reference"
        ? { referenceClaims: row.referenceClaims - 1 }
        : { interventionClaims: row.interventionClaims - 1 },
    );
  await db.insert(eventLog).values(activityRow("KptClaimRevoked", event, ofKptClaim(id)));
});

on("Campaigns:CampaignClosed", async ({ event, context: { db } }) => {
  const { campaign: index, resultHash } = event.args;
  const closed = { closedAt: event.block.timestamp, closeTransactionHash: event.transaction.hash };
  await db
    .update(campaign, { index })
    .set({ status: "closed", resultHash, closeSequence: sequenceOf(event), ...closed });
  await db.insert(eventLog).values(activityRow("CampaignClosed", event, { campaignIndex: index }));
});

on("Campaigns:CampaignCertified", async ({ event, context: { db } }) => {
  const { campaign: index, certificate: certificateIndex } = event.args;
  const certified = { certifiedAt: event.block.timestamp, certificationTransactionHash: event.transaction.hash };
  await db.update(campaign, { index }).set({ certificateIndex, ...certified });
  const subjects = { campaignIndex: index, certificateIndex };
  await db.insert(eventLog).values(activityRow("CampaignCertified", event, subjects));
});

type DrawCommitment = {
  campaignIndex: number;
  round: number;
  kind: "operator" | "second";
  account: `0x${string}`;
  commitment: `0x${string}`;
};

function partyRow(event: ChainEvent, commitment: DrawCommitment) {
  return {
    ...commitment,
    sequence: sequenceOf(event),
    blockNumber: event.block.number,
    committedAt: event.block.timestamp,
    transactionHash: event.transaction.hash,
  };
}
