import { Hono } from "hono";
import type { ServiceIdentity } from "./identity.ts";

/**
 * `GET /.well-known/did.json`, to be mounted at the root; open to everyone. `/did.json` answers too: behind a proxy that gives the
 * service a folder of its own, did:web looks there.
 */
export function identityRoutes({ document }: Pick<ServiceIdentity, "document">): Hono {
  const app = new Hono();
  for (const path of ["/.well-known/did.json", "/did.json"]) {
    app.get(path, (c) => c.body(JSON.stringify(document), 200, headers));
  }
  return app;
}

const headers = { "Content-Type": "application/did+json", "Cache-Control": "public, max-age=60" };
