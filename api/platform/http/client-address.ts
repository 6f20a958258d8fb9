import type { HttpBindings } from "@hono/node-server";
import type { HonoRequest } from "hono";
import { addressOf, clientNetwork } from "../values/networks.ts";
import type { HttpPlatform } from "./http-platform.ts";

/** The part of a route's context that gives the client's address. */
export type ClientContext = {
  get(name: "platform"): HttpPlatform;
  req: Pick<HonoRequest, "header">;
  env: unknown;
};

/** Return the client's address; behind a trusted proxy, the last one in X-Forwarded-For. */
export function clientAddress(c: ClientContext): string {
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>;
  const forwarded = c.get("platform").config.trustProxy ? c.req.header("x-forwarded-for") : undefined;
  return addressOf(incoming?.socket?.remoteAddress, forwarded);
}

/**
 * Return the client's network, by which limits count. One client usually has 2^64 IPv6 addresses, so a limit for each address would
 * stop nobody.
 */
export function clientOf(c: ClientContext): string {
  return clientNetwork(clientAddress(c));
}
