import { OpenAPIHono } from "@hono/zod-openapi";
import { cors } from "hono/cors";
import type { Deps } from "./deps.ts";
import { AppError } from "./errors.ts";
import type { AppEnv } from "./http/context.ts";
import { answerError } from "./http/error-response.ts";
import { assignRequestId } from "./http/request-id.ts";

/** The whole HTTP surface over the given dependencies. Pure: it opens nothing and reads no environment. */
export function createApp(deps: Deps): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>();
  app.use(async (c, next) => {
    c.set("deps", deps);
    await next();
  });
  app.use(assignRequestId());
  app.use(cors({ origin: "*", exposeHeaders: ["X-Request-Id"] }));
  app.notFound((c) => answerError(new AppError("NOT_FOUND", `There is no ${c.req.method} ${c.req.path}.`), c));
  app.onError(answerError);
  mountFeatures(app, deps);
  return app;
}

/** One line per feature. Routes come from createRouter() and are all below /v1. */
function mountFeatures(app: OpenAPIHono<AppEnv>, _deps: Deps): void {
  const features: OpenAPIHono<AppEnv>[] = [];
  for (const routes of features) app.route("/v1", routes);
}
