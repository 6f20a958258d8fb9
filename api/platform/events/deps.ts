import type { Clock } from "../clock.ts";
import type { Keys } from "../keys/index.ts";
import type { Log } from "../log.ts";
import type { Sessions } from "../sessions/index.ts";
import type { Events } from "./events.ts";

/** What streams of events work with; a stream ends with the key or the session that opened it. */
export type EventDeps = {
  clock: Clock;
  events: Events;
  keys: Keys;
  log: Log;
  sessions: Sessions;
};
