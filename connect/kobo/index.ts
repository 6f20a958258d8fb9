import type { Worker } from "../../api/platform/workers/index.ts";
import { createFormStore } from "../records/forms/store.ts";
import { createSubmissionStore } from "../records/store.ts";
import type { Room, RoomHost } from "../room.ts";
import { handleDueBells } from "./bells.ts";
import { catchUp } from "./catch-up.ts";
import { connectionRoutes } from "./connections/routes.ts";
import { finishConnections } from "./connections/service.ts";
import type { KoboDeps } from "./deps.ts";
import { hookRoutes } from "./hook-routes.ts";
import { importType, runImport } from "./import.ts";
import { createKoboStore } from "./store.ts";

/** The pause while a bell waits: for its next try, or for the process that has it. */
const bellsMs = 5_000;
/** How soon a bell is found that another process left behind. This process's own wake it. */
const idleMs = 60_000;
const catchUpMs = 3_600_000;
/** How soon a connection is finished whose request was interrupted. */
const finishMs = 5 * 60_000;

/** Field collection with KoboToolbox: its hook at `/kobo/hooks`, and routes for connections below `/v1/kobo`. */
export function openKobo(host: RoomHost): Room {
  const { db } = host;
  const workers: Worker[] = [];
  let bells: Worker | undefined;
  const deps: KoboDeps = {
    host,
    store: createKoboStore(db),
    forms: createFormStore(db),
    submissions: createSubmissionStore(db),
    wake: () => bells?.nudge(),
  };
  return {
    mount(app) {
      app.route("/v1", connectionRoutes(deps));
      app.route("/kobo", hookRoutes(deps));
    },
    start() {
      host.operations.define(importType, (job) => runImport(deps, job));
      bells = host.workers.add({
        name: "kobo-bells",
        everyMs: idleMs,
        retryMs: bellsMs,
        run: async ({ signal, pauseFor }) => {
          if (await handleDueBells(deps, signal)) pauseFor(0);
          else if (await deps.store.isAnyOpen()) pauseFor(bellsMs);
        },
      });
      const catchingUp = host.workers.add({
        name: "kobo-catch-up",
        everyMs: catchUpMs,
        firstAfterMs: catchUpMs,
        run: ({ signal }) => catchUp(deps, signal),
      });
      const finishing = host.workers.add({
        name: "kobo-connections",
        everyMs: finishMs,
        run: ({ signal }) => finishConnections(deps, signal),
      });
      workers.push(bells, catchingUp, finishing);
      for (const worker of workers) worker.start();
    },
    async close() {
      for (const worker of workers) await worker.close();
    },
  };
}
