// What a team collects, as it is written, in the streams and webhooks that run at that time: of the team, others and the regulator.
import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { after, before, test } from "node:test";
import { scopes } from "../api/platform/http/scopes.ts";
import { callAt, type ServerProcess, startServer } from "../test/support/api-server.ts";
import { implementerDid, otherImplementerDid, planId } from "../test/support/campaigns.ts";
import { createTestWorld, type TestWorld } from "../test/support/chain.ts";
import { collectHousehold } from "../test/support/collected-household.ts";
import { testAdminKey } from "../test/support/core.ts";
import { startTestServer, type TestServer } from "../test/support/http-server.ts";
import { type Answer, accountOf, type Caller, requireStatus } from "../test/support/registry.ts";
import { untilFound } from "../test/support/until.ts";

const number = "+260971777555";
const serial = "SERIAL-OF-THE-WELL";
const region = "Village of the well";

let world: TestWorld;
let server: ServerProcess;
let receiver: TestServer;
before(async () => {
  [world, receiver] = await Promise.all([createTestWorld(), startTestServer()]);
  server = await startServer(world, { REQUESTS_PER_MINUTE: "100000" });
});
after(async () => {
  await server?.stop("SIGKILL");
  await receiver?.close();
  await world?.close();
});

const callerOf = (key: string): Caller => {
  const call = callAt(server.url);
  return async (method, path, body) => {
    const headers = { authorization: `Bearer ${key}` };
    return { headers: new Headers(), ...(await call(method, `/v1${path}`, body as object, headers)) } as Answer;
  };
};

/** Someone with a key, who has a stream and a webhook open. */
async function follower(admin: Caller, body: object): Promise<{ call: Caller; seen: () => string }> {
  const { key } = requireStatus(await admin("POST", "/keys", { name: "follower", ...body }), 201).body as {
    key: string;
  };
  const call = callerOf(key);
  let text = "";
  const stream = await fetch(`${server.url}/v1/events`, { headers: { authorization: `Bearer ${key}` } });
  assert.equal(stream.status, 200);
  const read = async () => {
    assert.ok(stream.body);
    const bytes = Readable.fromWeb(stream.body as Parameters<typeof Readable.fromWeb>[0]);
    for await (const chunk of bytes) text += Buffer.from(chunk).toString();
  };
  read().catch((error: unknown) => {
    // The streams end with the server, after the test.
    if (server.isRunning()) text += `The stream has failed: ${error}`;
  });
  const path = `/hook-${key.slice(3, 15)}`;
  receiver.answers.set(path, (request, response) => {
    request.on("data", (part: Buffer) => {
      text += part.toString();
    });
    request.on("end", () => response.writeHead(200).end());
  });
  requireStatus(await call("POST", "/webhooks", { url: `${receiver.url}${path}`, events: ["*"] }), 201);
  return { call, seen: () => text };
}

/** Wait until a household was named in the stream and in a webhook's delivery. */
const sees = (seen: () => string, did: string) => untilFound(() => (seen().split(did).length > 2 ? true : undefined));

test("a household that a phone registers reaches others' running streams and webhooks in no form", async () => {
  const admin = callerOf(testAdminKey);
  for (const [i, did] of [implementerDid, otherImplementerDid].entries()) {
    const body = { did, account: accountOf(700 + i), name: `Implementer ${i}` };
    requireStatus(await admin("POST", "/implementers", body), 201);
  }
  const period = { startDate: "2024-01-01", endDate: "2024-12-31" };
  requireStatus(await admin("POST", "/monitoring-plans", { planId, implementerDid, period }), 201);
  const team = await follower(admin, { role: "implementer", implementerDid });
  const regulator = await follower(admin, { role: "regulator" });
  const other = await follower(admin, { role: "implementer", implementerDid: otherImplementerDid });
  const integrator = await follower(admin, { role: "integrator", scopes: [...scopes], dids: [otherImplementerDid] });
  assert.equal((await fetch(`${server.url}/v1/events`)).status, 401);

  const app = { request: (url: string, init?: RequestInit) => fetch(url, init) };
  const phones = { app, admin } as unknown as Parameters<typeof collectHousehold>[0];
  const { did, collector } = await collectHousehold(phones, { implementerDid, region });
  const of = encodeURIComponent(did);
  requireStatus(await team.call("PUT", `/households/${of}/pin`, { pin: "735914" }), 200);
  requireStatus(await team.call("POST", "/phones", { householdDid: did, number, language: "en" }), 201);
  const device = { serial, model: "Jiko", planId, householdDid: did, installedOn: "2024-01-01" };
  requireStatus(await team.call("POST", "/devices", device), 201);
  // An event that the others may see, after all of these.
  const own = "did:ixo:household/of-the-others";
  requireStatus(await other.call("POST", "/households", { did: own }), 201);
  for (const { seen } of [other, integrator, regulator]) await sees(seen, own);
  for (const { seen } of [team, regulator]) await sees(seen, did);

  const secrets = [
    region,
    "15.416789",
    "of the mill",
    "mill.jpg",
    serial,
    number,
    "735914",
    collector.url,
    "z6MkOfTheMill",
  ];
  for (const [name, { seen }] of Object.entries({ team, regulator, other, integrator })) {
    assert.doesNotMatch(seen(), /stream has failed/, name);
    const found = secrets.filter((each) => seen().includes(each));
    assert.deepEqual(found, [], `${name}: ${seen()}`);
  }
  for (const [name, { seen }] of Object.entries({ other, integrator })) {
    assert.ok(!seen().includes(did), `${name}: ${seen()}`);
  }
  assert.ok(!team.seen().includes(own));
});
