import { ponder } from "ponder:registry";
import { eventLog } from "ponder:schema";
import { activityRow } from "../lib/activity.ts";

ponder.on("Participants:RoleGranted", async ({ event, context: { db } }) => {
  await db.insert(eventLog).values(activityRow("RoleGranted", event, {}));
});

ponder.on("Participants:RoleRevoked", async ({ event, context: { db } }) => {
  await db.insert(eventLog).values(activityRow("RoleRevoked", event, {}));
});

ponder.on("Participants:RoleAdminChanged", async ({ event, context: { db } }) => {
  await db.insert(eventLog).values(activityRow("RoleAdminChanged", event, {}));
});

ponder.on("Participants:RoleGuardianChanged", async ({ event, context: { db } }) => {
  await db.insert(eventLog).values(activityRow("RoleGuardianChanged", event, {}));
});

ponder.on("Participants:RoleGrantDelayChanged", async ({ event, context: { db } }) => {
  await db.insert(eventLog).values(activityRow("RoleGrantDelayChanged", event, {}));
});
