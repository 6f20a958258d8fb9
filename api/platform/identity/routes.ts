import { Hono } from "hono";
import type { ServiceIdentity } from "./identity.ts";

/**
 * Create the public route `GET /.well-known/did.json`; mount it at the root. It also serves `/did.json`, where did:web looks when a
 * proxy gives the service a path.
 */
export function identityRoutes({ document }: Pick<ServiceIdentity, "document">): Hono {
  const app = new Hono();
  for (const path of ["/.well-known/did.json", "/did.json"]) {
    app.get(path, (c) => c.body(JSON.stringify(document), 200, headers));
  }
  return app;
}

const headers = { "Content-Type": "application/did+json", "Cache-Control": "public, max-age=60" };
