import assert from "node:assert/strict";
import type { Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { after, before, test } from "node:test";
import { createAdaptorServer } from "@hono/node-server";
import { limitSlowBodies, serverOptions } from "../api/platform/server/index.ts";
import { implementerDid, registerPlans } from "../test/support/campaigns.ts";
import { testAdminKey } from "../test/support/core.ts";
import { koboToken, startKoboPeer } from "../test/support/kobo-peer.ts";
import { openRegistryTest, type RegistryTest, requireStatus } from "../test/support/registry.ts";

let t: RegistryTest;
let server: Server;
let peer: Awaited<ReturnType<typeof startKoboPeer>>;
before(async () => {
  t = await openRegistryTest();
  await registerPlans(t);
  peer = await startKoboPeer();
  server = createAdaptorServer({ fetch: t.app.fetch, serverOptions }) as Server;
  limitSlowBodies(server, { windowMs: 600, leastBytes: 100 });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
after(async () => {
  server?.closeAllConnections();
  server?.close();
  await peer?.close();
  await t?.close();
});

/** Begin a request, and send its body by one byte after the other until the connection ends. @returns the whole answer */
async function trickle(path: string, headers: Record<string, string>): Promise<string> {
  const socket = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1" });
  let said = "";
  socket.on("data", (part) => (said += part)).on("error", () => {});
  const ended = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  const lines = Object.entries({ Host: "hearth", "Content-Length": "10000", ...headers });
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`);
  const timer = setInterval(() => socket.writable && socket.write("x"), 100);
  await ended;
  clearInterval(timer);
  return said;
}

test("a body that trickles gets 408 in the form of its protocol", async () => {
  const authorization = `Bearer ${testAdminKey}`;
  const v1 = await trickle("/v1/devices", { authorization, "content-type": "application/json" });
  assert.match(v1, /^HTTP\/1\.1 408 [\s\S]*"code":"REQUEST_TIMEOUT"/);

  const person = { name: "Maria", collectorDid: "did:key:z6MkMaria", implementerDid, forms: ["household"] };
  const made = requireStatus(await t.admin("POST", "/odk/collectors", person), 201).body as { url: string };
  const path = `${new URL(made.url).pathname}/submission`;
  const odk = await trickle(path, { "content-type": "multipart/form-data; boundary=b" });
  assert.match(odk, /^HTTP\/1\.1 408 [\s\S]*<OpenRosaResponse [\s\S]*too long to arrive/);

  const about = { name: "Lusaka", serverUrl: `${peer.url}/`, assetUid: peer.assetUid, token: koboToken };
  const project = { ...about, form: "household", collectorDid: "did:key:z6MkMaria", implementerDid };
  requireStatus(await t.admin("POST", "/kobo/connections", project), 201);
  const bell = peer.call(peer.add({ did: "did:ixo:household/slow" }));
  const kobo = await trickle(bell.path, bell.init.headers as Record<string, string>);
  assert.match(kobo, /^HTTP\/1\.1 408 [\s\S]*"message":"The body took too long to arrive/);
});
