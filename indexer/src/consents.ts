import { ponder } from "ponder:registry";
import { eventLog } from "ponder:schema";
import { activityRow, ofBatchOrVoucher } from "../lib/activity.ts";
import { setScheme } from "../lib/scheme.ts";

ponder.on("Vouchers:CodesCommitted", async ({ event, context: { db } }) => {
  const subjects = ofBatchOrVoucher(event.args.voucher);
  await db.insert(eventLog).values(activityRow("CodesCommitted", event, subjects));
});

ponder.on("Vouchers:AuthorizationCancelled", async ({ event, context: { db } }) => {
  const subjects = { householdIndex: event.args.household };
  await db.insert(eventLog).values(activityRow("AuthorizationCancelled", event, subjects));
});

ponder.on("Vouchers:PinCapChanged", async ({ event, context: { db } }) => {
  await setScheme(db, { pinCap: event.args.cap });
  await db.insert(eventLog).values(activityRow("PinCapChanged", event, {}));
});

ponder.on("Vouchers:LifecycleCapChanged", async ({ event, context: { db } }) => {
  await setScheme(db, { lifecycleCap: event.args.cap });
  await db.insert(eventLog).values(activityRow("LifecycleCapChanged", event, {}));
});
