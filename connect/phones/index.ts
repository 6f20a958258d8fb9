import type { Worker } from "../../api/platform/workers/index.ts";
import type { Room, RoomHost } from "../room.ts";
import type { PhoneDeps } from "./deps.ts";
import { gatewayRoutes } from "./gateway-routes.ts";
import { phoneRoutes } from "./routes.ts";
import { closeSmppLinks, keepSmppLinks } from "./smpp/links.ts";
import { sendDueMessages } from "./sms/outbox.ts";
import { createPhoneStore } from "./store.ts";

const outboxMs = 2_000;
/** How soon a new gateway is connected, and a revoked one no more. */
const linksMs = 5_000;
const cleanupMs = 3_600_000;
/** How long messages and the answers of sessions are kept. */
const keptMs = 7 * 24 * 3_600_000;

/** Households' phones: USSD menus and SMS through a gateway at `/phones`, and routes for people below `/v1/phones`. */
export function openPhones(host: RoomHost): Room {
  const deps: PhoneDeps = { host, store: createPhoneStore(host.db), box: host.secretBox, links: new Map() };
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
  const workers: Worker[] = [];
  return {
    mount(app) {
      app.route("/v1", phoneRoutes(deps));
      app.route("/phones", gatewayRoutes(deps, goOn));
    },
    start() {
      const outbox = host.workers.add({
        name: "phone-messages",
        everyMs: outboxMs,
        firstAfterMs: outboxMs,
        run: ({ signal }) => sendDueMessages(deps, signal),
      });
      const cleanup = host.workers.add({
        name: "phone-cleanup",
        everyMs: cleanupMs,
        firstAfterMs: cleanupMs,
        run: ({ now }) => deps.store.removeOlderThan(new Date(now.getTime() - keptMs)),
      });
      const links = host.workers.add({ name: "phone-links", everyMs: linksMs, run: () => keepSmppLinks(deps) });
      workers.push(outbox, cleanup, links);
      for (const worker of workers) worker.start();
    },
    async close() {
      for (const worker of workers) await worker.close();
      await closeSmppLinks(deps);
      await Promise.all(running);
    },
  };
}
