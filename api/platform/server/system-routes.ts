import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import type { MetricObjectWithValues, MetricValue } from "prom-client";
import { type AppEnv, createRouter, errorResponses, jsonContent, onlyFor } from "../http/index.ts";
import type { CoreDeps } from "./core.ts";

/** Figures of the process besides Hearth's own. */
const shownOfProcess = [
  "process_resident_memory_bytes",
  "nodejs_eventloop_lag_p99_seconds",
  "process_start_time_seconds",
];
/** Metric of the HTTP server whose count is the number of requests. */
const requestMetric = "http_request_duration_seconds";

const figure = z.object({
  name: z.string().openapi({ example: "hearth_outbox_waiting" }),
  description: z.string(),
  label: z.string().nullable().openapi({ description: "Which of several values it is; null when there is one." }),
  value: z.number(),
});

const system = z
  .object({
    ready: z.boolean(),
    checks: z
      .record(z.string(), z.looseObject({ ready: z.boolean() }))
      .openapi({ description: "As GET /ready has them." }),
    requests: z.object({
      total: z.number().int().openapi({ description: "Requests that this process has answered." }),
      failed: z.number().int().openapi({ description: "Of them, those with a status of 500 or more." }),
    }),
    figures: z.array(figure).openapi({ description: "As GET /metrics has them; of this process." }),
  })
  .openapi("SystemHealth");

const read = createRoute({
  method: "get",
  path: "/admin/system",
  callers: onlyFor([]),
  tags: ["Administration"],
  summary: "Read the health of the system: checks, requests and the operator's figures",
  responses: { 200: { description: "The state now", content: jsonContent(system) }, ...errorResponses(403) },
});

/** Route of the system's health, for administrators. */
export function systemRoutes({ readiness, metrics }: Pick<CoreDeps, "readiness" | "metrics">): OpenAPIHono<AppEnv> {
  return createRouter().openapi(read, async (c) => {
    const [{ ready, checks }, all] = await Promise.all([readiness.report(), metrics.getMetricsAsJSON()]);
    const shown = all.filter(({ name }) => name.startsWith("hearth_") || shownOfProcess.includes(name));
    return c.json({ ready, checks, requests: requestsOf(all), figures: shown.flatMap(figuresOf) }, 200);
  });
}

type Metrics = MetricObjectWithValues<MetricValue<string>>;

function figuresOf({ name, help, values }: Metrics): z.infer<typeof figure>[] {
  // Histograms have many values: their figures are for Prometheus.
  return values
    .filter((each) => !("metricName" in each) || each.metricName === name || each.metricName === undefined)
    .map(({ labels, value }) => ({
      name,
      description: help,
      label: Object.values(labels).join(", ") || null,
      value: Number(value),
    }));
}

function requestsOf(all: Metrics[]): { total: number; failed: number } {
  const counts = (all.find(({ name }) => name === requestMetric)?.values ?? []).filter(
    (each) => "metricName" in each && each.metricName === `${requestMetric}_count`,
  );
  const sum = (values: MetricValue<string>[]) => values.reduce((total, { value }) => total + Number(value), 0);
  return { total: sum(counts), failed: sum(counts.filter(({ labels }) => Number(labels.status) >= 500)) };
}
