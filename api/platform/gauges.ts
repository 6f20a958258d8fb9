import { Counter, Gauge, type Registry } from "prom-client";
import { cachedFor } from "./cached-for.ts";
import type { Log } from "./log.ts";

/** Gauges that are read together. */
export type GaugeGroup<G extends string = string> = {
  /** Name of the group in the log and in `hearth_gauge_errors_total`. */
  group: string;
  /** Name of each gauge without the prefix `hearth_`, and its description with the unit. */
  gauges: Record<G, string>;
  /** Label of the gauges that have several values. */
  label?: string;
  /** Read the values. A gauge with a label has an object of label to value. A gauge that is left out has no value now. */
  read: () => Promise<Partial<Record<G, number | Record<string, number>>>>;
};

/** How long a reading is cached, in milliseconds: anyone may read the metrics, and a reading costs statements and requests. */
const keptMs = 1_000;

export type Gauges = { add<G extends string>(group: GaugeGroup<G>): void };

/**
 * Gauges that are read when Prometheus asks, so an idle process has no work. A reading that fails is logged and counted, and its
 * gauges are left out; the other metrics are served.
 */
export function createGauges(registry: Registry, log: Log): Gauges {
  const errors = new Counter({
    name: "hearth_gauge_errors_total",
    help: "Readings of gauges that failed, by group.",
    labelNames: ["group"],
    registers: [registry],
  });
  return {
    add({ group, gauges, label, read }) {
      const readOnce = cachedFor(
        keptMs,
        async (): Promise<Partial<Record<string, number | Record<string, number>>>> => {
          try {
            return await read();
          } catch (error) {
            log.warn({ err: error, group }, "gauges cannot be read");
            errors.inc({ group });
            return {};
          }
        },
      );
      for (const name of Object.keys(gauges) as (keyof typeof gauges)[]) {
        const gauge = new Gauge({
          name: `hearth_${name}`,
          help: gauges[name],
          labelNames: label === undefined ? [] : [label],
          registers: [registry],
          async collect() {
            const value = (await readOnce())[name];
            gauge.reset();
            // Without a value prom-client would serve 0.
            if (value === undefined && label === undefined) gauge.remove();
            if (value === undefined) return;
            if (typeof value === "number") gauge.set(value);
            else for (const [key, each] of Object.entries(value)) gauge.set({ [label ?? ""]: key }, each);
          },
        });
      }
    },
  };
}
