import { claim, dispute, eventLog, payment, redemption, supplier } from "ponder:schema";
import { encodeClaimId } from "../../wire/src/ids.ts";
import { activityRow, ofRedemption, sequenceOf } from "../lib/activity.ts";
import { announce } from "../lib/notice.ts";
import { on } from "../lib/on.ts";
import { paymentRow } from "../lib/payments.ts";
import { setScheme } from "../lib/scheme.ts";

on("Claims:ClaimFiled", async ({ event, context: { db } }) => {
  const { redemption: id, supplier: supplierIndex, credentialHash } = event.args;
  const claimed = await db.find(redemption, { id });
  if (claimed === null) throw new Error(`Claim for redemption ${id}, which never happened`);
  await db.insert(claim).values({
    id,
    publicId: encodeClaimId(id),
    sequence: sequenceOf(event),
    voucherId: claimed.voucherId,
    certificateIndex: claimed.certificateIndex,
    supplierIndex,
    credentialHash,
    status: "filed",
    carbonAmount: claimed.amount,
    blockNumber: event.block.number,
    filedAt: event.block.timestamp,
    transactionHash: event.transaction.hash,
  });
  await announce(db, event, "release", { redemptionId: id });
  const subjects = { ...ofRedemption(id), supplierIndex };
  await db.insert(eventLog).values(activityRow("ClaimFiled", event, subjects));
});

on("Claims:ClaimHeld", async ({ event, context: { db } }) => {
  const { redemption: id, drawn } = event.args;
  const { supplierIndex } = await db.update(claim, { id }).set({ status: "flagged", drawn });
  await db.update(redemption, { id }).set({ status: "under_review" });
  await db.insert(eventLog).values(activityRow("ClaimHeld", event, { ...ofRedemption(id), supplierIndex }));
});

on("Claims:ClaimAwaitsDraw", async ({ event, context: { db } }) => {
  const { redemption: id } = event.args;
  const { supplierIndex } = await db.update(claim, { id }).set({ status: "flagged", drawn: false });
  await db.update(redemption, { id }).set({ status: "under_review" });
  await db.insert(eventLog).values(activityRow("ClaimAwaitsDraw", event, { ...ofRedemption(id), supplierIndex }));
});

on("Claims:ClaimPaid", async ({ event, context: { db } }) => {
  const { redemption: id, supplier: supplierIndex } = event.args;
  await db.insert(payment).values(paymentRow(event));
  await db.update(claim, { id }).set({ status: "approved" });
  await db.update(redemption, { id }).set({ status: "settled" });
  await db.insert(eventLog).values(activityRow("ClaimPaid", event, { ...ofRedemption(id), supplierIndex }));
});

on("Claims:ClaimApproved", async ({ event, context: { db } }) => {
  await announce(db, event, "release", { redemptionId: event.args.redemption });
  await db.insert(eventLog).values(activityRow("ClaimApproved", event, ofRedemption(event.args.redemption)));
});

on("Claims:ClaimRejected", async ({ event, context: { db } }) => {
  const { redemption: id, reason } = event.args;
  const changed = await db.update(claim, { id }).set({ status: "rejected", rejectionReason: reason });
  await db.update(redemption, { id }).set({ status: "rejected" });
  const subjects = { ...ofRedemption(id), supplierIndex: changed.supplierIndex };
  await db.insert(eventLog).values(activityRow("ClaimRejected", event, subjects));
});

on("Claims:ClaimDisputed", async ({ event, context: { db } }) => {
  const { redemption: id, challenger, stake, reason } = event.args;
  const sequence = sequenceOf(event);
  const opened = { openedAt: event.block.timestamp, transactionHash: event.transaction.hash };
  await db.insert(dispute).values({ sequence, claimId: id, challenger, stake, reason, ...opened });
  const changed = await db.update(claim, { id }).set({ status: "disputed", openDispute: sequence });
  await db.update(redemption, { id }).set({ status: "disputed" });
  const subjects = { ...ofRedemption(id), supplierIndex: changed.supplierIndex };
  await db.insert(eventLog).values(activityRow("ClaimDisputed", event, subjects));
});

on("Claims:DisputeResolved", async ({ event, context: { db } }) => {
  const { redemption: id, upheld, reason } = event.args;
  const disputed = await db.find(claim, { id });
  if (disputed?.openDispute == null) throw new Error(`Claim ${id} has no dispute to resolve`);
  await db.update(dispute, { sequence: disputed.openDispute }).set({
    upheld,
    resolution: reason,
    resolvedAt: event.block.timestamp,
    resolutionTransactionHash: event.transaction.hash,
  });
  await db.update(claim, { id }).set({ status: upheld ? "invalidated" : "approved", openDispute: null });
  await db.update(redemption, { id }).set({ status: upheld ? "invalidated" : "settled" });
  const subjects = { ...ofRedemption(id), supplierIndex: disputed.supplierIndex };
  await db.insert(eventLog).values(activityRow("DisputeResolved", event, subjects));
});

on("Claims:SupplierDebtChanged", async ({ event, context: { db } }) => {
  const { supplier: index, debt } = event.args;
  await db.update(supplier, { index }).set({ debt });
  await db.insert(eventLog).values(activityRow("SupplierDebtChanged", event, { supplierIndex: index }));
});

on("Claims:SupplierDebtWaived", async ({ event, context: { db } }) => {
  await db.insert(eventLog).values(activityRow("SupplierDebtWaived", event, { supplierIndex: event.args.supplier }));
});

on("Claims:ClaimRefused", async ({ event, context: { db } }) => {
  await db.insert(eventLog).values(activityRow("ClaimRefused", event, ofRedemption(event.args.redemption)));
});

on("Claims:AttestationCancelled", async ({ event, context: { db } }) => {
  await db.insert(eventLog).values(activityRow("AttestationCancelled", event, {}));
});

on("Claims:OperatorCapChanged", async ({ event, context: { db } }) => {
  await setScheme(db, { operatorCap: event.args.cap });
  await db.insert(eventLog).values(activityRow("OperatorCapChanged", event, {}));
});

on("Claims:DisputeStakeChanged", async ({ event, context: { db } }) => {
  await setScheme(db, { disputeStake: event.args.stake });
  await db.insert(eventLog).values(activityRow("DisputeStakeChanged", event, {}));
});
