import type { App } from "../../platform/http/index.ts";
import type { PaymentRouteDeps } from "../payments/serialize.ts";
import type { PluginRoutes } from "../plugins/host/plugin.ts";
import { allowEventStream } from "../wire/event-stream.ts";
import { type AgUiRouteDeps, agUiRoutes } from "./ag-ui-routes.ts";
import { type DelegationRouteDeps, delegationRoutes } from "./delegation-routes.ts";
import { type MessageRouteDeps, messageRoutes } from "./message-routes.ts";
import { paymentRoutes } from "./payment-routes.ts";
import { type PublicRouteDeps, publicOracleRoutes } from "./public-routes.ts";
import { type CallerDeps, requireCaller } from "./require-caller.ts";
import { type RunRouteDeps, runRoutes } from "./run-routes.ts";
import { type SessionRouteDeps, sessionRoutes } from "./session-routes.ts";
import { prefersPage, welcome } from "./welcome.ts";

export type ConversationRouteDeps = PublicRouteDeps &
  MessageRouteDeps &
  SessionRouteDeps &
  RunRouteDeps &
  DelegationRouteDeps &
  AgUiRouteDeps & { pluginRoutes: readonly PluginRoutes[] };

/** Mount the routes of conversations and plugins at the root. */
export function mountConversations(app: App, oracle: ConversationRouteDeps): void {
  app.get("/", (c) => {
    if (prefersPage(c.req.header("accept"))) return welcome(c);
    const message = `The oracle ${oracle.name} answers here; its protocol is described at /docs.`;
    return c.json({ status: "ok", message, timestamp: oracle.clock.now().toISOString() });
  });
  for (const path of ["/messages/*", "/runs/*", "/ag-ui"]) app.use(path, allowEventStream());
  app.route("/", publicOracleRoutes(oracle));
  app.route("/", messageRoutes(oracle));
  app.route("/", sessionRoutes(oracle));
  app.route("/", runRoutes(oracle));
  app.route("/", delegationRoutes(oracle));
  app.route("/", agUiRoutes(oracle));
  for (const plugin of oracle.pluginRoutes) mountPlugin(app, oracle, plugin);
}

/** Mount all routes of the oracle at the root. */
export function mountOracle(root: App, oracle: ConversationRouteDeps & PaymentRouteDeps): void {
  mountConversations(root, oracle);
  root.route("/", paymentRoutes(oracle));
}

function mountPlugin(app: App, deps: CallerDeps, { app: routes, publicRoutes }: PluginRoutes): void {
  const isPublic = new Set(publicRoutes);
  for (const { method, path } of routes.routes) {
    if (!isPublic.has(`${method} ${path}`) && method !== "ALL") app.on(method, path, requireCaller(deps));
  }
  app.route("/", routes);
}
