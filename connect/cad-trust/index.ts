import type { Worker } from "../../api/platform/workers/index.ts";
import type { Room, RoomHost } from "../room.ts";
import type { CadTrustDeps } from "./deps.ts";
import { addPublisher } from "./publish/publisher.ts";
import { cadTrustRoutes } from "./routes.ts";
import { createCadTrustStore } from "./store.ts";

/** Publishes projects, verifications, ITMOs and reports to a Climate Action Data Trust server; routes below `/v1/cad-trust`. */
export function openCadTrust(host: RoomHost): Room {
  const store = createCadTrustStore(host.db);
  let publisher: Worker | undefined;
  const deps: CadTrustDeps = { host, store, nudge: () => publisher?.nudge() };
  return {
    mount(app) {
      app.route("/v1", cadTrustRoutes(deps));
    },
    start() {
      publisher = addPublisher(host, store);
      publisher.start();
    },
    async close() {
      await publisher?.close();
    },
  };
}
