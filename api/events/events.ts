import type { Chain } from "../chain/chain.ts";
import type { Log } from "../log.ts";
import type { Registry } from "../registry/registry.ts";
import { EventHub } from "./hub.ts";
import { EventLookup } from "./lookup.ts";
import { EventReader } from "./reader.ts";

/** What tells of everything that happens on chain. */
export function openEvents({ chain, registry, log }: { chain: Chain; registry: Registry; log: Log }) {
  const hub = new EventHub(chain, new EventReader(chain, new EventLookup(chain, registry)), log);
  return { hub, close: () => hub.close() };
}
export type Events = ReturnType<typeof openEvents>;
