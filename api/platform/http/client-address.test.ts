import assert from "node:assert/strict";
import { test } from "node:test";
import { Hono } from "hono";
import { readConfig } from "../../config.ts";
import { isInRanges, isRange, parseRanges } from "../values/networks.ts";
import { clientAddress, clientOf } from "./client-address.ts";
import type { AppEnv } from "./context.ts";
import type { HttpPlatform } from "./http-platform.ts";

async function addressSeen(
  env: Record<string, string>,
  forwarded?: string,
  seen: typeof clientAddress = clientAddress,
): Promise<string> {
  const app = new Hono<AppEnv>().get("/", (c) => {
    c.set("platform", { config: readConfig(env) } as unknown as HttpPlatform);
    return c.text(seen(c));
  });
  const headers: Record<string, string> = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
  return (await app.request("/", { headers }, { incoming: { socket: { remoteAddress: "10.0.0.9" } } })).text();
}

test("believes X-Forwarded-For only behind a trusted proxy, and only what that proxy wrote", async () => {
  assert.equal(await addressSeen({}, "1.2.3.4"), "10.0.0.9");
  assert.equal(await addressSeen({ TRUST_PROXY: "1" }, "6.6.6.6, 1.2.3.4"), "1.2.3.4");
  assert.equal(await addressSeen({ TRUST_PROXY: "1" }, "nonsense"), "10.0.0.9");
  assert.equal(await addressSeen({ TRUST_PROXY: "1" }), "10.0.0.9");
});

test("counts all addresses of one IPv6 network as one client, and IPv4 written as IPv6 as IPv4", async () => {
  const clientSeen = (address: string) => addressSeen({ TRUST_PROXY: "1" }, address, clientOf);
  assert.equal(await clientSeen("2001:db8:1:2::1"), await clientSeen("2001:db8:1:2:ffff::abcd"));
  assert.notEqual(await clientSeen("2001:db8:1:2::1"), await clientSeen("2001:db8:1:3::1"));
  assert.equal(await clientSeen("::ffff:1.2.3.4"), "1.2.3.4");
  assert.notEqual(await clientSeen("1.2.3.4"), await clientSeen("1.2.3.5"));
});

test("finds an address in ranges of the same kind, IPv4 written as IPv6 too", () => {
  const ranges = parseRanges(["10.0.0.0/8", "192.168.1.1", "2001:db8::/32"]);
  for (const inside of ["10.255.0.1", "::ffff:10.0.0.1", "192.168.1.1", "2001:db8::1"])
    assert.ok(isInRanges(inside, ranges), inside);
  for (const outside of ["11.0.0.1", "192.168.1.2", "2001:db9::1", "", "unknown"])
    assert.ok(!isInRanges(outside, ranges), outside);
});

test("accepts only addresses and CIDR ranges as ranges", () => {
  for (const range of ["10.0.0.0/8", "::1", "1.2.3.4"]) assert.ok(isRange(range), range);
  for (const text of ["10.0.0.0/33", "localhost", "", "1.2.3.4/"]) assert.ok(!isRange(text), text);
});
