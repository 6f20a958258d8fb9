import type { MiddlewareHandler } from "hono";
import { AppError } from "../../platform/errors.ts";
import { loopbackHosts } from "../../platform/values/loopback.ts";
import type { FileEnv } from "../http/env.ts";

/**
 * Refuse requests whose Host or Origin is not PUBLIC_URL's, HOST's or loopback. Otherwise a website could reach a server on its
 * visitor's machine by resolving its own name to that address (DNS rebinding).
 */
export function requireKnownHost({ publicUrl, host }: { publicUrl: string; host: string }): MiddlewareHandler<FileEnv> {
  const own = hostname(host.includes(":") ? `http://[${host}]` : `http://${host}`);
  const known = new Set([...loopbackHosts, hostname(publicUrl), own]);
  return async function requireKnownHost(c, next) {
    const details = [
      ...(known.has(hostname(`http://${c.req.header("host") ?? new URL(c.req.url).host}`)) ? [] : ["Host"]),
      ...(known.has(hostname(c.req.header("origin") ?? publicUrl)) ? [] : ["Origin"]),
    ].map((path) => ({ path, rule: "known-host", message: `${path} must name PUBLIC_URL's host or loopback.` }));
    if (details.length > 0) {
      throw new AppError(
        "FORBIDDEN",
        "The server does not accept this host name; set PUBLIC_URL to the server's URL.",
        { details },
      );
    }
    await next();
  };
}

function hostname(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}
