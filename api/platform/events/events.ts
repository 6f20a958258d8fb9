import type { Log } from "../log.ts";
import { EventHub } from "./hub.ts";
import { EventLookup, type LookupSource } from "./lookup.ts";
import { EventReader } from "./reader.ts";

type Sources = LookupSource & { log: Log };

/** What tells of everything that happens on chain. */
export function openEvents({ log, ...named }: Sources) {
  const hub = new EventHub(named.chain, new EventReader(named.chain, new EventLookup(named)), log);
  return { hub, close: () => hub.close() };
}
export type Events = ReturnType<typeof openEvents>;
