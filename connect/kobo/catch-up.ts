import { koboOf } from "./connections/access.ts";
import type { KoboDeps } from "./deps.ts";
import { KoboError } from "./kobo-api.ts";
import { pagesOf } from "./list-records.ts";
import type { ConnectionRow } from "./tables.ts";

/**
 * Ring for what Kobo did not: it rings once for a record, so edits are found by their list, and a bell that came while this server
 * was away may be lost. Records from before the connection are left to the import.
 */
export async function catchUp(deps: KoboDeps, signal: AbortSignal): Promise<void> {
  for (const connection of await deps.store.active()) {
    if (signal.aborted) return;
    try {
      await catchUpConnection(deps, connection);
    } catch (error) {
      if (!(error instanceof KoboError)) throw error;
      deps.host.log.warn({ connectionId: connection.id, reason: error.message }, "Kobo's records were not compared");
    }
  }
}

/** Ring for the records of a connection that are new or edited. @returns how many. @throws KoboError */
export async function catchUpConnection(deps: KoboDeps, connection: ConnectionRow): Promise<number> {
  const { store, host } = deps;
  let rung = 0;
  for await (const { versions } of pagesOf(koboOf(deps, connection))) {
    const roots = versions.map(({ rootUuid }) => rootUuid);
    const known = await store.versionsOf(connection.id, roots);
    for (const { rootUuid, instanceId, submittedAt } of versions) {
      const stored = known.get(rootUuid);
      const isNew = stored === undefined && submittedAt !== undefined && submittedAt >= connection.createdAt;
      // Null: its bell rang already.
      const isEdited = typeof stored === "string" && stored !== instanceId;
      if (!isNew && !isEdited) continue;
      await store.ring({ connectionId: connection.id, rootUuid }, host.clock.now());
      rung += 1;
    }
  }
  if (rung > 0) deps.wake();
  return rung;
}
