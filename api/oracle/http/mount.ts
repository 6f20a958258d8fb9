import type { App } from "../../platform/http/base-app.ts";
import { agUiRoutes } from "../ag-ui/routes.ts";
import { delegationRoutes } from "../delegations/routes.ts";
import { messageRoutes } from "../messages/routes.ts";
import type { PluginRoutes } from "../oracle.ts";
import { answersByHand } from "../runs/event-stream.ts";
import { runRoutes } from "../runs/routes.ts";
import { sessionRoutes } from "../sessions/routes.ts";
import { publicOracleRoutes } from "./public-routes.ts";
import { requireCaller } from "./require-caller.ts";

/** Mount the oracle's routes at the root. */
export function mountOracle(app: App, pluginRoutes: readonly PluginRoutes[]): void {
  app.get("/", (c) => {
    const { oracle, clock } = c.get("deps");
    const message = `The oracle ${oracle.name} answers here; its protocol is described at /docs.`;
    return c.json({ status: "ok", message, timestamp: clock.now().toISOString() });
  });
  for (const path of ["/messages/*", "/runs/*", "/ag-ui"]) app.use(path, answersByHand());
  for (const routes of [publicOracleRoutes, messageRoutes, sessionRoutes, runRoutes, delegationRoutes, agUiRoutes]) {
    app.route("/", routes());
  }
  for (const plugin of pluginRoutes) mountPlugin(app, plugin);
}

function mountPlugin(app: App, { app: routes, publicRoutes }: PluginRoutes): void {
  const open = new Set(publicRoutes);
  for (const { method, path } of routes.routes) {
    if (!open.has(`${method} ${path}`) && method !== "ALL") app.on(method, path, requireCaller());
  }
  app.route("/", routes);
}
