import type { Hono } from "hono";
import type { Caller } from "./auth/authenticate.ts";

/** What the handler of a plugin's route finds in `c.get("caller")`: who asks, and its room. Absent on routes that need no header. */
export type RouteEnv = { Variables: { caller: Caller & { roomId: string } } };

export type PluginRoutes = { app: Hono<RouteEnv>; publicRoutes: string[] };
