import type { Log } from "../log.ts";
import type { Events } from "./events.ts";

/** What the services of this folder work with. */
export type EventDeps = {
  events: Events;
  log: Log;
};
