import { eventLog } from "ponder:schema";
import { activityRow } from "../lib/activity.ts";
import { on } from "../lib/on.ts";

on("Participants:RoleGranted", async ({ event, context: { db } }) => {
  await db.insert(eventLog).values(activityRow("RoleGranted", event, {}));
});

on("Participants:RoleRevoked", async ({ event, context: { db } }) => {
  await db.insert(eventLog).values(activityRow("RoleRevoked", event, {}));
});

on("Participants:RoleAdminChanged", async ({ event, context: { db } }) => {
  await db.insert(eventLog).values(activityRow("RoleAdminChanged", event, {}));
});

on("Participants:RoleGuardianChanged", async ({ event, context: { db } }) => {
  await db.insert(eventLog).values(activityRow("RoleGuardianChanged", event, {}));
});

on("Participants:RoleGrantDelayChanged", async ({ event, context: { db } }) => {
  await db.insert(eventLog).values(activityRow("RoleGrantDelayChanged", event, {}));
});
