import type { Worker } from "../../api/platform/workers/index.ts";
import type { Room, RoomHost } from "../room.ts";
import { createAccountStore } from "./accounts/store.ts";
import { createAttemptStore } from "./attempts/store.ts";
import { workOnDueAttempts } from "./attempts/work.ts";
import { callbackRoutes } from "./callback-routes.ts";
import type { PayoutDeps } from "./deps.ts";
import { payoutNotices } from "./notices.ts";
import { findOrders } from "./orders/find-orders.ts";
import { prepareDueOrders } from "./orders/prepare.ts";
import { createOrderStore } from "./orders/store.ts";
import { PartnerApis } from "./partners/partner-apis.ts";
import { createPartnerStore } from "./partners/store.ts";
import { createRateStore } from "./rates/store.ts";
import { payoutRoutes } from "./routes.ts";

const findMs = 15_000;
/** The shortest pause while something is due soon. */
const busyMs = 2_000;
/** How soon work is found that another process left behind. What this process stores wakes its workers. */
const idleMs = 60_000;

/** Payouts: a supplier's money from the payment on chain to its mobile account. Routes below `/v1/payouts`, callbacks at `/payouts`. */
export function openPayout(host: RoomHost): Room {
  const { db, secretBox: box } = host;
  const workers: Worker[] = [];
  const deps: PayoutDeps = {
    host,
    box,
    partners: createPartnerStore(db),
    rates: createRateStore(db),
    accounts: createAccountStore(db),
    orders: createOrderStore(db),
    attempts: createAttemptStore(db),
    apis: new PartnerApis(box, host),
    nudge: () => {
      for (const worker of workers) worker.nudge();
    },
  };
  return {
    mount(app) {
      app.route("/v1", payoutRoutes(deps));
      app.route("/payouts", callbackRoutes(deps));
    },
    notices: (reader, since) => payoutNotices(deps, reader, since),
    start() {
      const find = host.workers.add({
        name: "payout-orders",
        everyMs: findMs,
        firstAfterMs: busyMs,
        run: async ({ signal, pauseFor }) => {
          // A new partner wakes it.
          if ((await findOrders(deps, signal)) === 0) pauseFor(idleMs);
        },
      });
      const pay = host.workers.add({
        name: "payout-attempts",
        everyMs: idleMs,
        firstAfterMs: busyMs,
        retryMs: busyMs,
        run: async ({ signal, now, pauseFor }) => {
          await prepareDueOrders(deps, signal);
          await workOnDueAttempts(deps, signal);
          const due = await nextDue(deps);
          pauseFor(due === undefined ? idleMs : Math.min(idleMs, Math.max(busyMs, due.getTime() - now.getTime())));
        },
      });
      workers.push(find, pay);
      for (const worker of workers) worker.start();
    },
    async close() {
      for (const worker of workers) await worker.close();
    },
  };
}

/** When the next payout is to be looked at; undefined when none is open. */
async function nextDue({ orders, attempts }: PayoutDeps): Promise<Date | undefined> {
  const times = (await Promise.all([orders.nextDueAt(), attempts.nextDueAt()])).filter((at) => at !== undefined);
  return times.toSorted((a, b) => a.getTime() - b.getTime())[0];
}
