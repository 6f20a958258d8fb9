// A separate process that works on payouts until it is stopped, for tests that kill it. An hour passes between two rounds.

import { openDatabase } from "../../api/platform/db/client.ts";
import { createLog } from "../../api/platform/log.ts";
import { workOnDueAttempts } from "../../connect/payout/attempts/work.ts";
import { payoutDeps } from "./payouts.ts";

let now = Date.now();
const { db, close } = await openDatabase({ dataDir: process.env.DATA_DIR ?? "", databaseUrl: undefined });
const deps = payoutDeps(db, createLog({ logLevel: "silent" }), () => new Date(now));
let isOpen = true;
process.once("SIGTERM", () => {
  isOpen = false;
});
while (isOpen) {
  now += 3_600_000;
  await workOnDueAttempts(deps, new AbortController().signal);
  await new Promise((resolve) => setTimeout(resolve, 20));
}
await close();
