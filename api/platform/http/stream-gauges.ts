import type { Gauges } from "../gauges.ts";
import type { ConnectionLimit } from "./connection-limit.ts";

/** Show how many connections clients keep open in this process. @param limits those that count them, by the kind of connection */
export function addStreamGauges(gauges: Gauges, limits: Record<string, Pick<ConnectionLimit, "open">>): void {
  gauges.add({
    group: "streams",
    gauges: { streams_open: "Event streams, streamed answers and sockets that clients keep open in this process." },
    label: "kind",
    read: async () => ({
      streams_open: Object.fromEntries(Object.entries(limits).map(([kind, { open }]) => [kind, open])),
    }),
  });
}
