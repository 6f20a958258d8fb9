import type { Context } from "ponder:registry";
import { certificate, eventLog, implementer, implementerDebt } from "ponder:schema";
import { activityRow, type ChainEvent, sequenceOf } from "../lib/activity.ts";
import { on } from "../lib/on.ts";

type Implementer = typeof implementer.$inferSelect;
type Change = Pick<typeof implementerDebt.$inferInsert, "kind" | "certificateIndex" | "payer">;

/** Update what an implementer owes, and add a row that says why it changed. */
async function record(
  db: Context["db"],
  event: ChainEvent,
  implementerIndex: number,
  owed: Partial<Implementer> | ((row: Implementer) => Partial<Implementer>),
  change: Change,
): Promise<void> {
  const { debt, replacement } = await db.update(implementer, { index: implementerIndex }).set(owed);
  await db.insert(implementerDebt).values({
    ...change,
    sequence: sequenceOf(event),
    implementerIndex,
    debt,
    replacement,
    changedAt: event.block.timestamp,
    transactionHash: event.transaction.hash,
  });
}

/** Of two changes of a status that change a debt, which one left the certificate as it is. */
async function kindOfChange(db: Context["db"], index: number) {
  return (await db.find(certificate, { index }))?.status === "revoked" ? "revocation" : "veto";
}

on("Certificates:DebtChanged", async ({ event, context: { db } }) => {
  const { implementer: implementerIndex, certificate: certificateIndex, debt } = event.args;
  // A revocation, or its veto, says so just before.
  const before = await db.find(eventLog, {
    blockNumber: event.block.number,
    logIndex: event.log.logIndex - 1,
  });
  const kind = before?.event === "CertificateStatusChanged" ? await kindOfChange(db, certificateIndex) : "burn";
  await record(db, event, implementerIndex, { debt }, { kind, certificateIndex });
  await db.insert(eventLog).values(activityRow("DebtChanged", event, { implementerIndex, certificateIndex }));
});

on("Certificates:DebtRepaid", async ({ event, context: { db } }) => {
  const { implementer: implementerIndex, payer, amount, debt } = event.args;
  const paid = ({ repaid }: Implementer) => ({ debt, repaid: repaid + amount });
  await record(db, event, implementerIndex, paid, { kind: "repayment", payer });
  await db.insert(eventLog).values(activityRow("DebtRepaid", event, { implementerIndex }));
});

on("Certificates:ReplacementOwed", async ({ event, context: { db } }) => {
  const { implementer: implementerIndex, certificate: certificateIndex, amount, replacement } = event.args;
  await db.update(certificate, { index: certificateIndex }).set((row) => ({ issued: row.issued - amount }));
  await record(db, event, implementerIndex, { replacement }, { kind: "claim", certificateIndex });
  await db.insert(eventLog).values(activityRow("ReplacementOwed", event, { implementerIndex, certificateIndex }));
});

on("Certificates:CarbonReplaced", async ({ event, context: { db } }) => {
  const { implementer: implementerIndex, payer, amount, replacement } = event.args;
  const given = ({ replaced }: Implementer) => ({ replacement, replaced: replaced + amount });
  await record(db, event, implementerIndex, given, { kind: "replacement", payer });
  await db.insert(eventLog).values(activityRow("CarbonReplaced", event, { implementerIndex }));
});
