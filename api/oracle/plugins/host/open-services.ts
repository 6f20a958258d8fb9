import type { Database } from "../../../platform/db/index.ts";
import type { Actor } from "../../../platform/http/index.ts";
import type { Log } from "../../../platform/log.ts";
import type { FileStore } from "../../../platform/ports/files.ts";
import { ServiceAccess, type ServiceAccessDeps } from "../../../platform/ucan/index.ts";
import type { ReadAccess } from "../../access/read-access.ts";
import { TaskStore } from "../../tasks/task-store.ts";
import { Facade, type Fetch } from "./facade.ts";
import { oracleFolder, type Services } from "./services.ts";
import { openUserAccess } from "./user-access.ts";

/** Whether a DID is a registered participant of the scheme. */
export type Participants = {
  isSupplier: (did: string) => Promise<boolean>;
  isImplementer: (did: string) => Promise<boolean>;
};

export type ServicesDeps = ServiceAccessDeps & {
  config: { chain: { embedded: boolean } };
  db: Database;
  log: Log;
  files: FileStore;
  participants: Participants;
  readAccess: Pick<ReadAccess, "actorOf">;
  /** Serves a request by this server's own app. */
  fetch: Fetch;
};

export function openServices(deps: ServicesDeps): Services {
  const { identity, clock, log, files, participants, readAccess } = deps;
  const ownAccess = new ServiceAccess(deps, oracleFolder);
  return {
    did: identity.did,
    clock,
    log,
    isEmbedded: deps.config.chain.embedded,
    facade: new Facade({
      fetch: deps.fetch,
      actorOf: (did) => actorOf(participants, did),
      readerOf: async (did) => (await readAccess.actorOf(did)) ?? (await actorOf(participants, did)),
    }),
    files,
    userFiles: async ({ user, delegation, requestId, signal }) => ({
      access: await openUserAccess(deps, user, delegation),
      requestId,
      signal,
    }),
    oracleFiles: async () => ({ access: await ownAccess.access() }),
    tasks: new TaskStore(deps),
  };
}

/** The user as an actor of /v1: a supplier or an implementer if registered, else an integrator that may act for itself alone. */
async function actorOf(participants: Participants, did: string): Promise<Actor> {
  const own = { keyId: `oracle:${did}`, adapter: "oracle", scopes: [], dids: [did] };
  const [isSupplier, isImplementer] = await Promise.all([
    participants.isSupplier(did),
    participants.isImplementer(did),
  ]);
  if (isSupplier) return { ...own, role: "supplier", supplierDid: did };
  if (isImplementer) return { ...own, role: "implementer", implementerDid: did };
  return { ...own, role: "integrator" };
}
