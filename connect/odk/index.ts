import type { Worker } from "../../api/platform/workers/index.ts";
import { endWaiting } from "../records/end-waiting.ts";
import { createFormStore } from "../records/forms/store.ts";
import { releaseFiles } from "../records/release-files.ts";
import { createSubmissionStore } from "../records/store.ts";
import type { Room, RoomHost } from "../room.ts";
import { collectorRoutes } from "./collectors/routes.ts";
import { createCollectorStore } from "./collectors/store.ts";
import type { OdkDeps } from "./deps.ts";
import { createNonces } from "./digest/nonces.ts";
import { openRosaRoutes } from "./openrosa/routes.ts";
import { submissionRoutes } from "./submissions/routes.ts";

/** How often it looks for records whose time is over. */
const lookMs = 3_600_000;

/** Field collection with ODK Collect and Enketo: an OpenRosa server at `/odk`, and routes for the team below `/v1/odk`. */
export function openOdk(host: RoomHost): Room {
  const { db } = host;
  const deps: OdkDeps = {
    host,
    collectors: createCollectorStore(db),
    nonces: createNonces(host),
    forms: createFormStore(db),
    submissions: createSubmissionStore(db),
  };
  let workers: Worker[] = [];
  return {
    mount(app) {
      app.route("/v1", collectorRoutes(deps));
      app.route("/v1", submissionRoutes(deps));
      app.route("/odk", openRosaRoutes(deps));
    },
    start() {
      workers = [
        host.workers.add({
          name: "record-files",
          everyMs: lookMs,
          run: async ({ signal }) => void (await releaseFiles(deps, signal)),
        }),
        host.workers.add({
          name: "record-waits",
          everyMs: lookMs,
          run: async ({ signal }) => void (await endWaiting(deps, signal)),
        }),
      ];
      for (const worker of workers) worker.start();
    },
    close: async () => {
      for (const worker of workers) await worker.close();
    },
  };
}
