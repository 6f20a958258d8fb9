import { createMiddleware } from "hono/factory";
import type { NodeEnv } from "./rate-limit.ts";

/**
 * Close the connection after an answer to a request whose body was not read to its end: what is left of the body would be in the way
 * of the next request, which would get no answer.
 */
export const closeUnread = createMiddleware<NodeEnv>(async (c, next) => {
  await next();
  if (c.env?.incoming?.complete === false) c.header("Connection", "close");
});
