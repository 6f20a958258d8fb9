import type { App } from "../../platform/http/base-app.ts";
import type { PluginRoutes } from "../conversations.ts";
import { answersByHand } from "../wire/event-stream.ts";
import { agUiRoutes } from "./ag-ui-routes.ts";
import { delegationRoutes } from "./delegation-routes.ts";
import { messageRoutes } from "./message-routes.ts";
import { publicOracleRoutes } from "./public-routes.ts";
import { requireCaller } from "./require-caller.ts";
import { runRoutes } from "./run-routes.ts";
import { sessionRoutes } from "./session-routes.ts";

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
