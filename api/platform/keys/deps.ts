import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import type { Keys, ParticipantLookup } from "./keys.ts";

/** What the services of this folder work with. */
export type KeyDeps = {
  clock: Clock;
  keys: Keys;
  log: Log;
  /** Absent: a key may name any DID. */
  participants?: ParticipantLookup;
};
