import { prometheus } from "@hono/prometheus";
import type { OpenAPIHono } from "@hono/zod-openapi";
import { collectDefaultMetrics, Registry } from "prom-client";
import { type AppEnv, loggedPath } from "../http/index.ts";
import type { Log } from "../log.ts";
import type { Readiness } from "./readiness.ts";

/** Create the metrics registry of this process, to which features add their metrics. */
export function createMetrics(): Registry {
  const registry = new Registry();
  // A timer samples the event loop's lag: the default of 10 ms would wake an idle process 100 times a second.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 500 });
  return registry;
}

type ObservationDeps = { log: Log; metrics: Registry; readiness: Readiness };

/** Mount GET /health (this process answers), /ready (all it needs answers), /metrics (Prometheus), and the request log. */
export function mountObservation(app: OpenAPIHono<AppEnv>, { log, metrics, readiness }: ObservationDeps): void {
  const { printMetrics, registerMetrics } = prometheus({ registry: metrics });
  app.use(registerMetrics);
  // These entries hold no secrets, and searching them for secrets would cost more than writing them.
  const requests = log.child({}, { redact: [] });
  app.use(async (c, next) => {
    const began = performance.now();
    await next();
    const entry = {
      requestId: c.get("requestId"),
      method: c.req.method,
      path: loggedPath(c.req.path),
      status: c.res.status,
      ms: Math.round(performance.now() - began),
      keyId: c.get("actor")?.keyId,
    };
    if (c.res.status >= 500) requests.error(entry, "request");
    else requests.info(entry, "request");
  });
  app.get("/health", (c) => c.json({ status: "ok", timestamp: new Date().toISOString() }));
  app.get("/ready", async (c) => {
    const report = await readiness.report();
    return c.json(report, report.ready ? 200 : 503);
  });
  app.get("/metrics", printMetrics);
}
