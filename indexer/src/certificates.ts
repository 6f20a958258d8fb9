import { allocationChunk, certificate, conversionLot, eventLog } from "ponder:schema";
import { activityRow, sequenceOf } from "../lib/activity.ts";
import { insertMany } from "../lib/insert.ts";
import { toInteger } from "../lib/integers.ts";
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
    allocationCount: toInteger(facts.allocationCount),
    index,
    implementerIndex,
    planIndex,
    recordedCount: 0,
    allocated: 0n,
    issued: 0n,
    released: 0n,
    taken: 0n,
    converted: 0n,
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

on("Certificates:LotsTaken", async ({ event, context: { db, contracts } }) => {
  const { converter, conversion: conversionIndex, lots } = event.args;
  const rows: (typeof conversionLot.$inferInsert)[] = [];
  let offset = 0n;
  for (const [position, { certificate: index, amount }] of lots.entries()) {
    await db.update(certificate, { index }).set(({ taken }) => ({ taken: taken + amount }));
    rows.push({ conversionIndex, position, certificateIndex: index, offset, amount, certificateOffset: null });
    offset += amount;
  }
  // The council may let another contract convert. Its conversions are not in these tables.
  const isOurs = converter.toLowerCase() === String(contracts.Itmo.address).toLowerCase();
  if (isOurs) await insertMany(db, conversionLot, rows);
  await db.insert(eventLog).values(activityRow("LotsTaken", event, isOurs ? { conversionIndex } : {}));
});

on("Certificates:LotsReturned", async ({ event, context: { db, contracts } }) => {
  const { converter, conversion: conversionIndex, lots } = event.args;
  for (const { certificate: index, amount } of lots)
    await db.update(certificate, { index }).set(({ taken }) => ({ taken: taken - amount }));
  const isOurs = converter.toLowerCase() === String(contracts.Itmo.address).toLowerCase();
  await db.insert(eventLog).values(activityRow("LotsReturned", event, isOurs ? { conversionIndex } : {}));
});
