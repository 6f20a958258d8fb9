import { certificate, eventLog, redemption, voucher } from "ponder:schema";
import { encodeRedemptionId } from "../../wire/src/ids.ts";
import { activityRow, ofRedemption, ofVoucher, redemptionNumberOf, sequenceOf, voucherOf } from "../lib/activity.ts";
import { announce } from "../lib/notice.ts";
import { on } from "../lib/on.ts";
import { refundTarget } from "../lib/statuses.ts";
import { datedStatus, spendableStatus } from "../lib/vouchers.ts";
import { consentLevel, isChecked } from "../schema/consent-words.ts";

on("Vouchers:VoucherRedeemed", async ({ event, context: { db } }) => {
  const { redemption: id, supplier, product, amount, remaining, deadline } = event.args;
  const consent = consentLevel(event.args.consent);
  const status = spendableStatus(remaining);
  const redemptionCount = redemptionNumberOf(id);
  const spent = await db
    .update(voucher, { id: voucherOf(id) })
    .set({ remaining, status, opened: true, redemptionCount });
  // Its row is the event too, see `activity`.
  await db.insert(redemption).values({
    id,
    publicId: encodeRedemptionId(id),
    sequence: sequenceOf(event),
    voucherId: spent.id,
    certificateIndex: spent.certificateIndex,
    householdIndex: spent.householdIndex,
    supplierIndex: supplier,
    productIndex: product,
    amount,
    remainingBalance: remaining,
    deadline: BigInt(deadline),
    consent,
    authorized: isChecked(consent),
    flagged: false,
    status: "pending_delivery",
    blockNumber: event.block.number,
    redeemedAt: event.block.timestamp,
    transactionHash: event.transaction.hash,
  });
});

on("Vouchers:RedemptionRefused", async ({ event, context: { db } }) => {
  await db.insert(eventLog).values(activityRow("RedemptionRefused", event, ofVoucher(event.args.voucher)));
});

on("Vouchers:RedemptionFlagged", async ({ event, context: { db } }) => {
  const id = event.args.redemption;
  const { supplierIndex } = await db.update(redemption, { id }).set({ flagged: true });
  await db.insert(eventLog).values(activityRow("RedemptionFlagged", event, { ...ofRedemption(id), supplierIndex }));
});

on("Vouchers:RedemptionReversed", async ({ event, context: { db } }) => {
  const id = event.args.redemption;
  const { supplierIndex } = await db.update(redemption, { id }).set({ status: "reversed" });
  await db.insert(eventLog).values(activityRow("RedemptionReversed", event, { ...ofRedemption(id), supplierIndex }));
});

on("Vouchers:RedemptionLapsed", async ({ event, context: { db } }) => {
  const id = event.args.redemption;
  const { supplierIndex } = await db.update(redemption, { id }).set({ status: "lapsed" });
  await db.insert(eventLog).values(activityRow("RedemptionLapsed", event, { ...ofRedemption(id), supplierIndex }));
});

on("Vouchers:RedemptionRefunded", async ({ event, context: { db } }) => {
  const { redemption: id, amount, refund, remaining, expiryDay } = event.args;
  const refundedTo = refundTarget(refund);
  const refundTransactionHash = event.transaction.hash;
  const given = await db.update(redemption, { id }).set({ refundedTo, refundTransactionHash });
  await db.update(voucher, { id: given.voucherId }).set((row) => ({
    remaining,
    expiryDay,
    // One that was spent, swept or replaced in the meantime works again.
    status:
      refundedTo === "voucher" && row.status !== "suspended"
        ? datedStatus(expiryDay, event.block.timestamp)
        : row.status,
  }));
  if (refundedTo === "certificate") {
    await db.update(certificate, { index: given.certificateIndex }).set((row) => ({ issued: row.issued - amount }));
    await announce(db, event, "return", { redemptionId: id });
  }
  const subjects = { ...ofRedemption(id), supplierIndex: given.supplierIndex };
  await db.insert(eventLog).values(activityRow("RedemptionRefunded", event, subjects));
});
