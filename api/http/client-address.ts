import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import ipaddr from "ipaddr.js";
import type { AppEnv } from "./context.ts";

export type Ranges = ReturnType<typeof ipaddr.parseCIDR>[];

/** The address that the request came from; behind a trusted proxy, the last one that the proxy wrote down. */
export function clientAddress(c: Context<AppEnv>): string {
  if (c.get("deps").config.trustProxy) {
    const forwarded = c.req.header("x-forwarded-for")?.split(",").at(-1)?.trim();
    if (forwarded !== undefined && ipaddr.isValid(forwarded)) return forwarded;
  }
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>;
  return incoming?.socket?.remoteAddress ?? "127.0.0.1";
}

/** Parse `10.0.0.0/8` or a single address. */
export function parseRanges(texts: string[]): Ranges {
  return texts.map((text) => {
    if (text.includes("/")) return ipaddr.parseCIDR(text);
    const single = ipaddr.parse(text);
    return [single, single.kind() === "ipv4" ? 32 : 128];
  });
}

/** True when parseRanges takes the text. */
export function isRange(text: string): boolean {
  try {
    return parseRanges([text]).length === 1;
  } catch {
    return false;
  }
}

/** True when the address lies in one of the ranges; an IPv4 address written as IPv6 counts as IPv4. */
export function isInRanges(address: string, ranges: Ranges): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return ranges.some(([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits));
}
