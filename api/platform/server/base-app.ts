import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { except } from "hono/combine";
import { PendingTransactionError, respondSubmitted } from "../chain/index.ts";
import { AppError } from "../errors.ts";
import { type App, type AppEnv, respondError } from "../http/index.ts";
import { mountIndexerProxy } from "../indexer/index.ts";
import { invitationPaths, passkeyPaths } from "../keys/index.ts";
import { isNotificationLink } from "../notifications/index.ts";
import { isSignIn, type SessionVerifier } from "../sessions/index.ts";
import { traceRequests } from "../tracing/index.ts";
import { allowOrigins } from "./allow-origins.ts";
import { requireKey } from "./authenticate.ts";
import type { CoreDeps } from "./core.ts";
import { mountDocs } from "./docs.ts";
import { mountObservation } from "./observe.ts";
import { assignRequestId } from "./request-id.ts";

/** Options of the whole app that features provide. */
export type BaseAppOptions = {
  /** Paths below /v1, or tests of a request, for which no key is needed. */
  keyless?: readonly (string | ((c: Context) => boolean))[];
  /** Verifies session tokens. Undefined: none are accepted. */
  sessions?: Pick<SessionVerifier, "verify">;
  /** Middleware that must see an OPTIONS request before CORS answers it. */
  beforeCors?: (app: App) => void;
};

/** Mount a feature's routes below /v1. */
export function mount(app: App, routes: App): void {
  app.route("/v1", routes);
}

/** Create the app without features: request id, CORS, authentication below /v1, and error responses. */
export function createBaseApp(deps: CoreDeps, { keyless = [], sessions, beforeCors }: BaseAppOptions = {}): App {
  const app = new OpenAPIHono<AppEnv>();
  app.use(async (c, next) => {
    c.set("platform", deps);
    await next();
  });
  app.use(assignRequestId());
  app.use(traceRequests());
  beforeCors?.(app);
  app.use(allowOrigins());
  mountObservation(app, deps);
  mountDocs(app);
  mountIndexerProxy(app);
  app.use(
    "/v1/*",
    except(
      [...keyless, ...invitationPaths, ...passkeyPaths, isSignIn, isNotificationLink, "/v1/did-keys"],
      requireKey({ keys: deps.keys, sessions }),
    ),
  );
  app.use(deps.disk.refuseWrites());
  app.notFound((c) => respondError(new AppError("NOT_FOUND", `There is no ${c.req.method} ${c.req.path}.`), c));
  app.onError((thrown, c) =>
    thrown instanceof PendingTransactionError ? respondSubmitted(deps, thrown, c) : respondError(thrown, c),
  );
  return app;
}
