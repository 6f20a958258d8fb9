import { allocationChunk, certificate, eventLog } from "ponder:schema";
import { activityRow, sequenceOf } from "../lib/activity.ts";
import { leafCount } from "../lib/leaves.ts";
import { on } from "../lib/on.ts";
import { registrationOf } from "../lib/registration.ts";
import { certificateStatus } from "../lib/statuses.ts";
import { revocationFinalAt } from "../schema/revocation.ts";

on("Certificates:CertificateRegistered", async ({ event, context: { db } }) => {
  const { certificate: index, implementer: implementerIndex, registration } = event.args;
  const { predecessor: _hint, implementer: _same, plan: planIndex, ...facts } = registration;
  await db.insert(certificate).values({
    ...facts,
    index,
    implementerIndex,
    planIndex,
    recordedCount: 0,
    allocated: 0n,
    issued: 0n,
    // An unallocated certificate becomes valid by its own event, in the same transaction.
    status: "pending",
    halted: false,
    sequence: sequenceOf(event),
    blockNumber: event.block.number,
    ...registrationOf(event),
  });
  const subjects = { certificateIndex: index, implementerIndex, planIndex: planIndex || null };
  await db.insert(eventLog).values(activityRow("CertificateRegistered", event, subjects));
});

on("Certificates:AllocationRecorded", async ({ event, context: { db } }) => {
  const { certificate: index, chunk, root, total, leaves } = event.args;
  const count = leafCount(leaves);
  const transactionHash = event.transaction.hash;
  await db
    .insert(allocationChunk)
    .values({ certificateIndex: index, chunk, root, total, count, leaves, transactionHash });
  await db.update(certificate, { index }).set((row) => ({
    recordedCount: row.recordedCount + count,
    allocated: row.allocated + total,
  }));
  const data = { certificate: index, chunk, root, total: total.toString(), count };
  await db.insert(eventLog).values(activityRow("AllocationRecorded", event, { certificateIndex: index, data }));
});

on("Certificates:CertificateStatusChanged", async ({ event, context: { db } }) => {
  const { certificate: index, reason } = event.args;
  const status = certificateStatus(event.args.status);
  // Nothing else leads away from a revocation.
  const vetoed = (await db.find(certificate, { index }))?.status === "revoked";
  const finalAt = status === "revoked" ? revocationFinalAt(event.block.timestamp) : null;
  await db.update(certificate, { index }).set({ status, revocationFinalAt: finalAt });
  const data = { certificate: index, status: event.args.status, reason, ...(vetoed ? { vetoed } : {}) };
  await db.insert(eventLog).values(activityRow("CertificateStatusChanged", event, { certificateIndex: index, data }));
});
