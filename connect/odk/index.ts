import type { Worker } from "../../api/platform/workers/index.ts";
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

const releaseMs = 3_600_000;

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
  let releasing: Worker | undefined;
  return {
    mount(app) {
      app.route("/v1", collectorRoutes(deps));
      app.route("/v1", submissionRoutes(deps));
      app.route("/odk", openRosaRoutes(deps));
    },
    start() {
      releasing = host.workers.add({
        name: "record-files",
        everyMs: releaseMs,
        run: async ({ signal }) => void (await releaseFiles(deps, signal)),
      });
      releasing.start();
    },
    close: async () => releasing?.close(),
  };
}
