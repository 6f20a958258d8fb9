import type { Campaigns } from "../campaigns/campaigns.ts";
import type { Chain } from "../chain/chain.ts";
import type { Log } from "../log.ts";
import type { Registry } from "../registry/registry.ts";
import { EventHub } from "./hub.ts";
import { EventLookup } from "./lookup.ts";
import { EventReader } from "./reader.ts";

type Sources = { chain: Chain; registry: Registry; campaigns: Campaigns; log: Log };

/** What tells of everything that happens on chain. */
export function openEvents({ log, ...named }: Sources) {
  const hub = new EventHub(named.chain, new EventReader(named.chain, new EventLookup(named)), log);
  return { hub, close: () => hub.close() };
}
export type Events = ReturnType<typeof openEvents>;
