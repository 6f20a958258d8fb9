import { createMiddleware } from "hono/factory";
import type { NodeEnv } from "./rate-limit.ts";

/**
 * Close the connection after a response to a request whose body was not read to its end. Otherwise the rest of the body would be read
 * as the next request, which would get no response.
 */
export const closeUnread = createMiddleware<NodeEnv>(async (c, next) => {
  await next();
  if (c.env?.incoming?.complete === false) c.header("Connection", "close");
});
