import { auditRoot, eventLog } from "ponder:schema";
import { activityRow } from "../lib/activity.ts";
import { on } from "../lib/on.ts";

on("Audits:AuditRootAnchored", async ({ event, context: { db } }) => {
  const { timestamp: anchoredAt } = event.block;
  const transactionHash = event.transaction.hash;
  await db.insert(auditRoot).values({ ...event.args, anchoredAt, transactionHash });
  await db.insert(eventLog).values(activityRow("AuditRootAnchored", event, {}));
});
