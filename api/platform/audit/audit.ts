import type { Clock } from "../clock.ts";
import type { Database } from "../db/index.ts";
import { hideKeys, type Log } from "../log.ts";
import { type AuditEntry, type AuditStore, createAuditStore } from "./store.ts";

export type Audit = {
  store: AuditStore;
  /** Record a request that changed something or tried to. An entry that cannot be stored is logged: the change has been made. */
  record: (entry: Omit<AuditEntry, "at">) => Promise<void>;
};

type AuditOptions = { db: Database; clock: Clock; log: Log; adminApiKey: string | undefined };

/** Open the audit of who changed what through /v1. */
export function createAudit({ db, clock, log, adminApiKey }: AuditOptions): Audit {
  const store = createAuditStore(db);
  return {
    store,
    async record(entry) {
      try {
        // A path may hold a key by mistake.
        const subject = hideKeys(entry.subject, adminApiKey);
        await store.insert({ ...entry, subject, at: clock.now() });
      } catch (error) {
        // Without the subject: it may be a participant's DID, which a log must not hold.
        const { keyId, route, status, requestId } = entry;
        log.error({ err: error, keyId, route, status, requestId }, "an audit entry could not be stored");
      }
    },
  };
}
