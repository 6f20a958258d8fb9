import type { MiddlewareHandler } from "hono";
import { AppError } from "../../platform/errors.ts";
import type { FileEnv } from "../http/env.ts";

const loopback = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Refuse requests whose Host or Origin is not PUBLIC_URL's, HOST's or loopback. Otherwise a website could reach a server on its
 * visitor's machine by pointing its own name there (DNS rebinding).
 */
export function requireKnownHost({ publicUrl, host }: { publicUrl: string; host: string }): MiddlewareHandler<FileEnv> {
  const own = hostname(host.includes(":") ? `http://[${host}]` : `http://${host}`);
  const known = new Set([...loopback, hostname(publicUrl), own]);
  return async function requireKnownHost(c, next) {
    const details = [
      ...(known.has(hostname(`http://${c.req.header("host") ?? new URL(c.req.url).host}`)) ? [] : ["Host"]),
      ...(known.has(hostname(c.req.header("origin") ?? publicUrl)) ? [] : ["Origin"]),
    ].map((path) => ({ path, rule: "known-host", message: `${path} names neither PUBLIC_URL's host nor loopback.` }));
    if (details.length > 0) {
      throw new AppError("FORBIDDEN", "This name is not this server's; PUBLIC_URL tells it its own.", { details });
    }
    await next();
  };
}

function hostname(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}
