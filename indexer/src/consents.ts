import { ponder } from "ponder:registry";
import { eventLog, scheme } from "ponder:schema";
import { activityRow, ofBatchOrVoucher } from "../lib/activity.ts";
import { initialScheme } from "../lib/initial.ts";

ponder.on("Vouchers:CodesCommitted", async ({ event, context: { db } }) => {
  const subjects = ofBatchOrVoucher(event.args.voucher);
  await db.insert(eventLog).values(activityRow("CodesCommitted", event, subjects));
});

ponder.on("Vouchers:AuthorizationCancelled", async ({ event, context: { db } }) => {
  const subjects = { householdIndex: event.args.household };
  await db.insert(eventLog).values(activityRow("AuthorizationCancelled", event, subjects));
});

ponder.on("Vouchers:PinCapChanged", async ({ event, context: { db } }) => {
  const pinCap = event.args.cap;
  await db
    .insert(scheme)
    .values({ ...initialScheme, pinCap })
    .onConflictDoUpdate({ pinCap });
  await db.insert(eventLog).values(activityRow("PinCapChanged", event, {}));
});

ponder.on("Vouchers:LifecycleCapChanged", async ({ event, context: { db } }) => {
  const lifecycleCap = event.args.cap;
  await db
    .insert(scheme)
    .values({ ...initialScheme, lifecycleCap })
    .onConflictDoUpdate({ lifecycleCap });
  await db.insert(eventLog).values(activityRow("LifecycleCapChanged", event, {}));
});
