import type { Worker } from "../../api/platform/workers/index.ts";
import type { Room, RoomHost } from "../room.ts";
import type { PhoneDeps } from "./deps.ts";
import { gatewayRoutes } from "./gateway-routes.ts";
import { settlePayments } from "./requests/payment.ts";
import { phoneRoutes } from "./routes.ts";
import { closeSmppLinks, keepSmppLinks } from "./smpp/links.ts";
import { sendDueMessages } from "./sms/outbox.ts";
import { createPhoneStore } from "./store.ts";

/** How soon work is found that another process left behind. What this process is asked for wakes its workers. */
const idleMs = 60_000;
/** How often to look while messages or payments wait: other processes may have changed them. */
const busyMs = 2_000;
/** How soon a connection is made by the processes that did not make the gateway. */
const linksMs = 30_000;
const retryMs = 5_000;
const cleanupMs = 3_600_000;
/** How long messages and the answers of sessions are kept. */
const keptMs = 7 * 24 * 3_600_000;

/** Households' phones: USSD menus and SMS through a gateway at `/phones`, and routes for people below `/v1/phones`. */
export function openPhones(host: RoomHost): Room {
  const workers = new Map<"outbox" | "payments" | "links" | "cleanup", Worker>();
  const wake = {
    outbox: () => workers.get("outbox")?.nudge(),
    payments: () => workers.get("payments")?.nudge(),
    links: () => workers.get("links")?.nudge(),
  };
  const deps: PhoneDeps = { host, store: createPhoneStore(host.db), box: host.secretBox, links: new Map(), wake };
  const running = new Set<Promise<void>>();
  const goOn = (work: Promise<unknown>) => {
    const done: Promise<void> = work
      .then(() => undefined)
      .catch((error: unknown) => {
        const reason = error instanceof Error ? error.name : "unknown";
        host.log.error({ reason }, "a payment by phone was not followed to its end");
      })
      .finally(() => running.delete(done));
    running.add(done);
  };
  return {
    mount(app) {
      app.route("/v1", phoneRoutes(deps));
      app.route("/phones", gatewayRoutes(deps, goOn));
    },
    start() {
      const untilDue = (due: Date | undefined, now: Date) =>
        due === undefined ? idleMs : Math.min(busyMs, Math.max(0, due.getTime() - now.getTime()));
      workers.set(
        "outbox",
        host.workers.add({
          name: "phone-messages",
          everyMs: idleMs,
          retryMs,
          run: async ({ now, signal, pauseFor }) => pauseFor(untilDue(await sendDueMessages(deps, signal), now)),
        }),
      );
      workers.set(
        "payments",
        host.workers.add({
          name: "phone-payments",
          everyMs: idleMs,
          run: async ({ now, signal, pauseFor }) => pauseFor(untilDue(await settlePayments(deps, signal), now)),
        }),
      );
      workers.set("links", host.workers.add({ name: "phone-links", everyMs: linksMs, run: () => keepSmppLinks(deps) }));
      workers.set(
        "cleanup",
        host.workers.add({
          name: "phone-cleanup",
          everyMs: cleanupMs,
          firstAfterMs: cleanupMs,
          run: ({ now }) => deps.store.removeOlderThan(new Date(now.getTime() - keptMs)),
        }),
      );
      for (const worker of workers.values()) worker.start();
    },
    async close() {
      for (const worker of workers.values()) await worker.close();
      await closeSmppLinks(deps);
      await Promise.all(running);
    },
  };
}
