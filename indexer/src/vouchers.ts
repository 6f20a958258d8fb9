import { allocationChunk, batch, certificate, eventLog, voucher } from "ponder:schema";
import { activityRow, ofRedemption, ofVoucher, sequenceOf } from "../lib/activity.ts";
import { insertMany } from "../lib/insert.ts";
import { announce } from "../lib/notice.ts";
import { on } from "../lib/on.ts";
import { setScheme } from "../lib/scheme.ts";
import { batchVouchers, datedStatus, issuedVoucher } from "../lib/vouchers.ts";

on("Vouchers:BatchIssued", async ({ event, context: { db } }) => {
  const { batch: index, certificate: certificateIndex, chunk, count, total, startDay, expiryDay, batchId } = event.args;
  const origin = {
    blockNumber: event.block.number,
    issuedAt: event.block.timestamp,
    transactionHash: event.transaction.hash,
  };
  const dates = { startDay, expiryDay, batchId, certificateIndex };
  await db.insert(batch).values({ index, chunk, count, total, ...dates, ...origin });
  const recorded = await db.find(allocationChunk, { certificateIndex, chunk });
  if (recorded === null) throw new Error(`Batch ${index} issues chunk ${chunk}, which was never recorded`);
  const terms = { ...dates, ...origin, sequence: sequenceOf(event) };
  await insertMany(db, voucher, batchVouchers({ index }, recorded.leaves, terms));
  await db.update(certificate, { index: certificateIndex }).set((row) => ({ issued: row.issued + total }));
  const subjects = { batchIndex: index, certificateIndex };
  await db.insert(eventLog).values(activityRow("BatchIssued", event, subjects));
});

on("Vouchers:VoucherIssued", async ({ event, context: { db } }) => {
  const { voucher: id, certificate: index, household, value, startDay, expiryDay, batchId, replaces } = event.args;
  const row = issuedVoucher(id, household, value, {
    certificateIndex: index,
    startDay,
    expiryDay,
    batchId,
    sequence: sequenceOf(event),
    blockNumber: event.block.number,
    issuedAt: event.block.timestamp,
    transactionHash: event.transaction.hash,
  });
  await db.insert(voucher).values({ ...row, opened: true, replacesId: replaces || null });
  if (replaces !== 0n) await db.update(voucher, { id: replaces }).set({ remaining: 0n, replacedById: id });
  await db.update(certificate, { index }).set((current) => ({ issued: current.issued + value }));
  const subjects = { ...ofVoucher(id), certificateIndex: index, householdIndex: household };
  await db.insert(eventLog).values(activityRow("VoucherIssued", event, subjects));
});

on("Vouchers:VoucherOpened", async ({ event, context: { db } }) => {
  const { voucher: id, household } = event.args;
  await db.update(voucher, { id }).set({ opened: true });
  await db
    .insert(eventLog)
    .values(activityRow("VoucherOpened", event, { ...ofVoucher(id), householdIndex: household }));
});

on("Vouchers:VoucherSuspended", async ({ event, context: { db } }) => {
  const id = event.args.voucher;
  await db.update(voucher, { id }).set({ status: "suspended" });
  await db.insert(eventLog).values(activityRow("VoucherSuspended", event, ofVoucher(id)));
});

on("Vouchers:VoucherReactivated", async ({ event, context: { db } }) => {
  const { voucher: id, expiryDay } = event.args;
  await db.update(voucher, { id }).set((row) => ({
    status: row.remaining === 0n ? "exhausted" : datedStatus(expiryDay, event.block.timestamp),
    expiryDay,
  }));
  await db.insert(eventLog).values(activityRow("VoucherReactivated", event, ofVoucher(id)));
});

on("Vouchers:VoucherCancelled", async ({ event, context: { db } }) => {
  const { voucher: id, rest } = event.args;
  const row = await db.update(voucher, { id }).set({ status: "cancelled", remaining: rest });
  await db.update(certificate, { index: row.certificateIndex }).set((current) => ({ issued: current.issued - rest }));
  await announce(db, event, "return", { voucherId: id });
  const subjects = { ...ofVoucher(id), certificateIndex: row.certificateIndex };
  await db.insert(eventLog).values(activityRow("VoucherCancelled", event, subjects));
});

on("Vouchers:VoucherSwept", async ({ event, context: { db } }) => {
  const id = event.args.voucher;
  await db.update(voucher, { id }).set({ status: "swept", remaining: 0n });
  await announce(db, event, "release", { voucherId: id });
  await db.insert(eventLog).values(activityRow("VoucherSwept", event, ofVoucher(id)));
});

on("Vouchers:VoucherRevoked", async ({ event, context: { db } }) => {
  const { voucher: id, rest } = event.args;
  const row = await db.update(voucher, { id }).set({ status: "revoked", remaining: 0n, opened: true });
  const { certificateIndex } = row;
  await db.update(certificate, { index: certificateIndex }).set((current) => ({ issued: current.issued - rest }));
  // Vouchers of one certificate are burned together.
  await announce(db, event, "revocation", { voucherId: id });
  await db.insert(eventLog).values(activityRow("VoucherRevoked", event, { ...ofVoucher(id), certificateIndex }));
});

on("Vouchers:CertificateHalted", async ({ event, context: { db } }) => {
  const { certificate: index, halted } = event.args;
  await db.update(certificate, { index }).set({ halted });
  await db.insert(eventLog).values(activityRow("CertificateHalted", event, { certificateIndex: index }));
});

on("Vouchers:HouseholdAuthorizationRequired", async ({ event, context: { db } }) => {
  await setScheme(db, { householdAuthorizationRequired: event.args.required });
  await db.insert(eventLog).values(activityRow("HouseholdAuthorizationRequired", event, {}));
});

on("Vouchers:AuthorizationSettled", async ({ event, context: { db } }) => {
  const { household, redemption } = event.args;
  const subjects = { ...ofRedemption(redemption), householdIndex: household };
  await db.insert(eventLog).values(activityRow("AuthorizationSettled", event, subjects));
});
