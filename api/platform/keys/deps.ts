import type { Clock } from "../clock.ts";
import type { PlatformConfig } from "../config.ts";
import type { Database } from "../db/index.ts";
import type { Log } from "../log.ts";
import type { Keys, ParticipantLookup } from "./keys.ts";

/** Dependencies of this folder's services. */
export type KeyDeps = {
  clock: Clock;
  db: Database;
  keys: Keys;
  log: Log;
  /** Links of invitations begin with the public URL. */
  config: Pick<PlatformConfig, "publicUrl">;
  /** Absent: a key may name any DID. */
  participants?: ParticipantLookup;
};
