import { eventLog } from "ponder:schema";
import { activityRow, ofBatchOrVoucher } from "../lib/activity.ts";
import { on } from "../lib/on.ts";
import { setScheme } from "../lib/scheme.ts";

on("Vouchers:CodesCommitted", async ({ event, context: { db } }) => {
  const subjects = ofBatchOrVoucher(event.args.voucher);
  await db.insert(eventLog).values(activityRow("CodesCommitted", event, subjects));
});

on("Vouchers:AuthorizationCancelled", async ({ event, context: { db } }) => {
  const subjects = { householdIndex: event.args.household };
  await db.insert(eventLog).values(activityRow("AuthorizationCancelled", event, subjects));
});

on("Vouchers:PinCapChanged", async ({ event, context: { db } }) => {
  await setScheme(db, { pinCap: event.args.cap });
  await db.insert(eventLog).values(activityRow("PinCapChanged", event, {}));
});

on("Vouchers:LifecycleCapChanged", async ({ event, context: { db } }) => {
  await setScheme(db, { lifecycleCap: event.args.cap });
  await db.insert(eventLog).values(activityRow("LifecycleCapChanged", event, {}));
});
