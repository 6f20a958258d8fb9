import type { Clock } from "../clock.ts";
import type { Keys } from "../keys/index.ts";
import type { Log } from "../log.ts";
import type { Sessions } from "../sessions/index.ts";
import type { Events } from "./events.ts";

/** Dependencies of event streams. A stream ends with the key or session that opened it. */
export type EventDeps = {
  clock: Clock;
  events: Events;
  keys: Keys;
  log: Log;
  sessions: Sessions;
};
