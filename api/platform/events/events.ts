import type { Chain } from "../chain/index.ts";
import { ConnectionLimit } from "../http/index.ts";
import type { Log } from "../log.ts";
import { EventHub } from "./hub.ts";
import { type DescribeLog, EventReader, type ReadRecorded } from "./reader.ts";

/** Most event streams of one key, or of one account that has signed in. */
const STREAMS_PER_KEY = 32;

/** `describe`: converts one log to the events for subscribers. `readRecorded`: reads events that are not on chain. */
type EventSources = { chain: Chain; log: Log; describe: DescribeLog; readRecorded: ReadRecorded };

/** Open the source of events. */
export function openEvents({ chain, log, describe, readRecorded }: EventSources) {
  const hub = new EventHub(chain, new EventReader(chain, describe, readRecorded), log);
  const stopping = new AbortController();
  return {
    hub,
    streams: new ConnectionLimit(STREAMS_PER_KEY, "event streams of this key"),
    /** Aborts when the server stops. */
    stopping: stopping.signal,
    /** End all streams, and each that is opened from now on. Clients continue elsewhere with Last-Event-ID. */
    endStreams: () => stopping.abort(),
    close: () => hub.close(),
  };
}
export type Events = ReturnType<typeof openEvents>;
