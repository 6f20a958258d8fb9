import type { HttpBindings } from "@hono/node-server";
import type { HonoRequest } from "hono";
import { addressOf, clientNetwork } from "../values/networks.ts";
import type { HttpPlatform } from "./http-platform.ts";

/** What of a request tells where it came from; any route's context has it. */
export type ClientContext = {
  get(name: "platform"): HttpPlatform;
  req: Pick<HonoRequest, "header">;
  env: unknown;
};

/** The address that the request came from; behind a trusted proxy, the last one that the proxy wrote down. */
export function clientAddress(c: ClientContext): string {
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>;
  const forwarded = c.get("platform").config.trustProxy ? c.req.header("x-forwarded-for") : undefined;
  return addressOf(incoming?.socket?.remoteAddress, forwarded);
}

/**
 * Whom a limit counts: the network that the request came from. One client has 2^64 addresses of IPv6 to itself, so counting addresses
 * would stop nobody who has them.
 */
export function clientOf(c: ClientContext): string {
  return clientNetwork(clientAddress(c));
}
