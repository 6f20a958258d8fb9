import type { Chain } from "../chain/index.ts";
import { OpenPlaces } from "../http/index.ts";
import type { Log } from "../log.ts";
import { EventHub } from "./hub.ts";
import { type DescribeLog, EventReader } from "./reader.ts";

/** Event streams of one key, or of one account that has signed in. */
const STREAMS_PER_KEY = 32;

/** `describe`: what subscribers are told of one log. */
type EventSources = { chain: Chain; log: Log; describe: DescribeLog };

/** What tells of everything that happens on chain. */
export function openEvents({ chain, log, describe }: EventSources) {
  const hub = new EventHub(chain, new EventReader(chain, describe), log);
  return { hub, streams: new OpenPlaces(STREAMS_PER_KEY, "event streams of this key"), close: () => hub.close() };
}
export type Events = ReturnType<typeof openEvents>;
