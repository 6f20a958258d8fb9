import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { eq } from "drizzle-orm";
import {
  type Answer,
  accountOf,
  type Caller,
  openRegistryTest,
  type RegistryTest,
  rulesOf,
} from "../../../../test/support/registry.ts";
import { submitCall } from "../../../platform/chain/submit.ts";
import { openRegistry } from "../registry.ts";
import { HouseholdDirectory } from "./directory.ts";
import { households } from "./tables.ts";

let registry: RegistryTest;
let implementer: Caller;
before(async () => {
  registry = await openRegistryTest();
  implementer = await registry.as("implementer", { implementerDid: "did:ixo:implementer/1" });
});
after(() => registry?.close());

const pathOf = (did: string) => `/households/${encodeURIComponent(did)}`;

test("registers the published household with account, size and region, its DID only in the database", async () => {
  const body = {
    did: "did:ixo:household/123",
    account: accountOf(1),
    householdSize: { men: 1, women: 2, children: 3, elderly: 0 },
    region: "Kisumu",
  };
  const made = await implementer("POST", "/households", body);
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { account, ...rest } = body;
  const waiting = { account: null, pendingAccount: { account, confirmed: false } };
  assert.partialDeepStrictEqual(made.body, { ...rest, ...waiting, status: "registered" });
  assert.partialDeepStrictEqual(await implementer("GET", pathOf(body.did)), { status: 200, body: rest });

  const { chain, registry: features } = registry.deps;
  const { householdHash, index, transactionHash } = made.body as {
    householdHash: `0x${string}`;
    index: number;
    transactionHash: `0x${string}`;
  };
  assert.equal(await chain.read("participants", "householdIndex", [householdHash]), index);
  assert.equal((await features.households.byIndex(index))?.did, body.did);
  const { input } = await chain.client.getTransaction({ hash: transactionHash });
  assert.ok(!input.includes(Buffer.from(body.did).toString("hex")));
});

test("refuses a household that is registered already", async () => {
  const body = { did: "did:ixo:household/again" };
  assert.equal((await implementer("POST", "/households", body)).status, 201);
  const again = await implementer("POST", "/households", body);
  assert.equal(again.status, 409);
  assert.deepEqual(rulesOf(again), ["not-registered-before"]);
});

test("an integrator registers households for the implementer that it acts for, which both can see", async () => {
  const dids = ["did:ixo:implementer/1", "did:ixo:supplier/1"];
  const integrator = await registry.as("integrator", { scopes: ["households:write", "households:read"], dids });
  const did = "did:ixo:household/by-integrator";
  const made = await integrator("POST", "/households", { did, implementerDid: dids[0] });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  for (const call of [implementer, integrator]) assert.equal((await call("GET", pathOf(did))).status, 200);
  const listed = (await integrator("GET", "/households?limit=500")).body as { items: { did: string }[] };
  assert.ok(listed.items.some((each) => each.did === did));
  const other = { did: "did:ixo:household/for-other" };
  for (const [body, status] of [
    [other, 403],
    [{ ...other, implementerDid: "did:ixo:implementer/2" }, 403],
    [{ ...other, implementerDid: dids[1] }, 404],
  ] as const)
    assert.equal((await integrator("POST", "/households", body)).status, status, JSON.stringify(body));
  const foreign = await implementer("POST", "/households", { ...other, implementerDid: "did:ixo:implementer/2" });
  assert.deepEqual([foreign.status, rulesOf(foreign)], [403, ["own-identity"]]);
});

test("gives a household its first account once an evaluator has confirmed it; its implementer cannot", async () => {
  const did = "did:ixo:household/account";
  await implementer("POST", "/households", { did });
  const proposed = await implementer("PATCH", pathOf(did), { account: accountOf(9) });
  const waiting = { account: null, pendingAccount: { account: accountOf(9), confirmed: false } };
  assert.partialDeepStrictEqual(proposed, { status: 200, body: waiting });
  const confirm = `${pathOf(did)}/account/confirm`;
  assert.equal((await implementer("POST", confirm, { account: accountOf(9) })).status, 403);
  const early = await implementer("POST", `${pathOf(did)}/account/finalise`);
  assert.deepEqual([early.status, ...rulesOf(early)], [409, "account-confirmed"]);
  const evaluator = await registry.as("evaluator");
  const other = await evaluator("POST", confirm, { account: accountOf(10) });
  assert.deepEqual([other.status, ...rulesOf(other)], [409, "account-pending"]);
  assert.partialDeepStrictEqual(await evaluator("POST", confirm, { account: accountOf(9) }), {
    status: 200,
    body: { did, account: accountOf(9), pendingAccount: null },
  });
  assert.partialDeepStrictEqual(await implementer("GET", pathOf(did)), {
    status: 200,
    body: { account: accountOf(9) },
  });
  assert.equal((await implementer("PATCH", pathOf(did), { account: accountOf(10) })).status, 409);
  assert.equal((await implementer("PATCH", pathOf("did:ixo:none"), { account: accountOf(10) })).status, 404);
});

test("registers a household once when two calls race", async () => {
  const body = { did: "did:ixo:household/race" };
  const answers = await Promise.all([1, 2, 3].map(() => implementer("POST", "/households", body)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409]);
});

test("registers households together, each once, whatever is wrong with one of them", async () => {
  const { households, registrations } = registry.deps.registry;
  await implementer("POST", "/households", { did: "did:ixo:household/known" });
  const dids = ["new-1", "known", "new-2", "new-2", "new-3"].map((name) => `did:ixo:household/${name}`);
  const hashes = dids.map((did) => households.hashOf(did));
  const settled = await Promise.all(hashes.map((hash) => registrations.submit({ hash, account: undefined })));
  const indexes = settled.map((each, i) => each.indexes.get(hashes[i] as `0x${string}`));
  // The household that came twice was new once.
  assert.deepEqual(
    indexes.map((index) => index !== undefined),
    [true, false, true, false, true],
  );
  const [first, second, third, again, last] = settled.map(({ transactionHash }) => transactionHash);
  assert.deepEqual([second, third], [first, first]);
  assert.deepEqual([again === first, last], [false, again]);
});

test("finds a registration that reached the chain while this API was killed", async () => {
  const body = { did: "did:ixo:household/lost", region: "Siaya" };
  const made = await implementer("POST", "/households", body);
  const { index } = made.body as { index: number };
  // As after a kill between the block and the database: the row has no index yet.
  await registry.deps.db.update(households).set({ household: null }).where(eq(households.did, body.did));
  const schemeKey = (await readFile(`${registry.world.dataDir}/keys/scheme.key`, "utf8")).trim();
  const fresh = openRegistry({ ...registry.deps, schemeKey });
  assert.partialDeepStrictEqual(await fresh.households.byDid(body.did), { household: index, region: "Siaya" });
});

test("shows a household to those who may see it and to nobody else", async () => {
  const did = "did:ixo:household/private";
  await implementer("POST", "/households", { did });
  const other = await registry.as("implementer", { implementerDid: "did:ixo:implementer/2" });
  const regulator = await registry.as("regulator");
  const reader = await registry.as("integrator", { scopes: ["households:read"], dids: [did] });
  const blind = await registry.as("integrator", { scopes: [] });
  assert.equal((await other("GET", pathOf(did))).status, 404);
  assert.equal((await blind("GET", pathOf(did))).status, 403);
  assert.equal((await regulator("GET", pathOf(did))).status, 200);
  assert.equal((await reader("GET", pathOf(did))).status, 200);
  assert.equal((await regulator("POST", "/households", { did: "did:ixo:household/r" })).status, 403);
  const listed = (await reader("GET", "/households")).body as { items: { did: string }[] };
  assert.deepEqual(
    listed.items.map((item) => item.did),
    [did],
  );
  assert.equal((await blind("GET", "/households")).status, 403);
});

test("tells another implementer of a registered household only that it is registered", async () => {
  const did = "did:ixo:household/anothers";
  const registered = await implementer("POST", "/households", { did, region: "Siaya", account: accountOf(71) });
  const { householdHash } = registered.body as { householdHash: string };
  const other = await registry.as("implementer", { implementerDid: "did:ixo:implementer/2" });
  const refused = await other("POST", "/households", { did, region: "Busia" });
  const { requestId: _, ...body } = refused.body as Record<string, unknown>;
  const message = `Household ${did} is registered already.`;
  assert.deepEqual(body, {
    error: "Conflict",
    code: "CONFLICT",
    message,
    status: 409,
    statusCode: 409,
    details: [
      {
        path: "did",
        rule: "not-registered-before",
        message,
        code: "household-registered-already",
        values: { id: did },
      },
    ],
  });
  const end = await finished(await other("POST", "/households/import", `did\n${did}`, csv), other);
  const rows = JSON.stringify((await other("GET", `${end.url.replace("/v1", "")}/rows`)).body);
  assert.match(rows, /not-registered-before/);
  for (const hidden of ["Siaya", accountOf(71), householdHash, "did:ixo:implementer/1"])
    assert.ok(!rows.includes(hidden), hidden);
  const [read, proposed] = [
    await other("GET", pathOf(did)),
    await other("PATCH", pathOf(did), { account: accountOf(72) }),
  ];
  assert.deepEqual([read.status, proposed.status], [404, 404]);
});

type Progress = { status: string; progress: { done: number; total: number; failed: number } };

async function finished(answer: Answer, by: Caller = implementer): Promise<Progress & { url: string }> {
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  const { url } = answer.body as { url: string };
  assert.equal(answer.headers.get("location"), url);
  for (let i = 0; i < 400; i++) {
    const { body } = await by("GET", url.replace("/v1", ""));
    const operation = body as Progress;
    if (operation.status !== "queued" && operation.status !== "running") return { ...operation, url };
    await sleep(50);
  }
  throw new Error("The import did not end.");
}

const csv = { "content-type": "text/csv; charset=utf-8" };

test("imports a CSV file and answers for each row", async () => {
  await implementer("POST", "/households", { did: "did:ixo:import/known" });
  const lines = [
    "did,account,region,men,women,children,elderly",
    `did:ixo:import/1,${accountOf(5)},Kisumu,1,1,2,0`,
    "did:ixo:import/known,,,,,,",
    "did:ixo:import/1,,,,,,",
    "nobody,,,,,,",
    'did:ixo:import/2,,"Busia, North",,,,',
  ];
  const end = await finished(await implementer("POST", "/households/import", lines.join("\r\n"), csv));
  assert.partialDeepStrictEqual(end, { status: "partial", progress: { done: 5, total: 5, failed: 3 } });
  const rows = (await implementer("GET", `${end.url.replace("/v1", "")}/rows`)).body as {
    items: { status: string; answer: { status: string; details?: { rule: string }[] } }[];
  };
  assert.deepEqual(
    rows.items.map(({ answer }) => answer.details?.[0]?.rule ?? answer.status),
    ["registered", "not-registered-before", "household-once", "format", "registered"],
  );
  const failed = (await implementer("GET", `${end.url.replace("/v1", "")}/rows?status=failed`)).body as { items: [] };
  assert.equal(failed.items.length, 3);
  assert.partialDeepStrictEqual(await implementer("GET", pathOf("did:ixo:import/1")), {
    status: 200,
    body: {
      pendingAccount: { account: accountOf(5), confirmed: false },
      region: "Kisumu",
      householdSize: { men: 1, women: 1, children: 2, elderly: 0 },
    },
  });
});

test("shows where households are to those who may see them", async () => {
  const owner = await registry.as("implementer", { implementerDid: "did:ixo:implementer/located" });
  const registered = "did:ixo:located/registered";
  const imported = "did:ixo:located/imported";
  const unknown = "did:ixo:located/unknown";
  const place = { latitude: -15.416712345678901, longitude: 28.28 };
  const made = await owner("POST", "/households", { did: registered, region: "Lusaka", location: place });
  const shown = { latitude: -15.416712, longitude: 28.28 };
  assert.partialDeepStrictEqual(made, { status: 201, body: { location: shown } });
  const lines = ["did;latitude;longitude;region", `${imported};0.0000005;-179.9999996;Siaya`, `${unknown};;;Siaya`];
  const more = ["did:ixo:located/pole;90.1;0;", "did:ixo:located/half;1;;", "did:ixo:located/text;north;1;"];
  const end = await finished(await owner("POST", "/households/import", [...lines, ...more].join("\n"), csv), owner);
  const failed = (await owner("GET", `${end.url.replace("/v1", "")}/rows?status=failed`)).body as {
    items: { answer: { details: { path: string; rule: string }[] } }[];
  };
  assert.deepEqual(
    failed.items.map(({ answer: { details } }) => details.map(({ path, rule }) => `${path} ${rule}`).join()),
    ["location.latitude range", "location.longitude required", "location.latitude type"],
  );
  const { items } = (await owner("GET", "/household-locations?limit=5000")).body as { items: object[] };
  const [first, second] = [
    { did: registered, ...shown },
    { did: imported, latitude: 0.000001, longitude: -180 },
  ];
  assert.deepEqual(items, [first, second]);
  assert.partialDeepStrictEqual(await owner("GET", "/household-locations?region=Siaya"), { body: { items: [second] } });
  const page = (await owner("GET", "/household-locations?limit=1")).body as { items: object[]; nextCursor: string };
  assert.deepEqual(page.items, [first]);
  const rest = await owner("GET", `/household-locations?limit=1&cursor=${page.nextCursor}`);
  assert.deepEqual(rest.body, { items: [second], nextCursor: null });
  assert.deepEqual((await owner("GET", "/household-locations?limit=5001")).status, 400);
  assert.deepEqual((await implementer("GET", "/household-locations?limit=5000")).body, { items: [], nextCursor: null });
  const reader = await registry.as("integrator", { scopes: ["vouchers:read"] });
  assert.equal((await reader("GET", "/household-locations")).status, 403);

  const moved = { latitude: 1, longitude: 2.5 };
  assert.partialDeepStrictEqual(await owner("PATCH", pathOf(unknown), { location: moved }), {
    body: { location: moved },
  });
  assert.partialDeepStrictEqual(await owner("PATCH", pathOf(unknown), { location: null }), {
    body: { location: null },
  });
  for (const change of [{}, { location: moved, account: accountOf(1) }]) {
    const answer = await owner("PATCH", pathOf(unknown), change);
    assert.deepEqual([answer.status, rulesOf(answer)], [400, ["one-change"]]);
  }
  assert.equal((await implementer("PATCH", pathOf(registered), { location: moved })).status, 404);
  assert.partialDeepStrictEqual(await owner("GET", pathOf(registered)), { body: { location: shown } });
});

test("imports several batches with indexes that the chain gives", async () => {
  const size = 1_300;
  const lines = Array.from({ length: size }, (_, i) => JSON.stringify({ did: `did:ixo:many/${i}` }));
  const headers = { "content-type": "application/x-ndjson" };
  const end = await finished(await implementer("POST", "/households/import", lines.join("\n"), headers));
  assert.partialDeepStrictEqual(end, { status: "succeeded", progress: { done: size, total: size, failed: 0 } });
  const { households } = registry.deps.registry;
  const found = await households.byDids(Array.from({ length: size }, (_, i) => `did:ixo:many/${i}`));
  assert.equal(new Set([...found.values()].map(({ household }) => household)).size, size);
  for (const i of [0, 499, 500, 1_299]) {
    const row = found.get(`did:ixo:many/${i}`);
    const hash = households.hashOf(`did:ixo:many/${i}`);
    assert.equal(await registry.deps.chain.read("participants", "householdIndex", [hash]), row?.household);
  }
});

test("finds many together that are on the chain and not in the database", async () => {
  const { households } = registry.deps.registry;
  const dids = ["did:ixo:unseen/1", "did:ixo:unseen/2"];
  const asked = [...dids, "did:ixo:unseen/nobody"];
  assert.equal((await households.byDids(asked)).size, 0);
  await submitCall(
    registry.deps,
    {},
    {
      sender: "operator",
      contract: "participants",
      functionName: "registerHouseholds",
      args: [dids.map((did) => households.hashOf(did)), []],
      purpose: "test",
    },
  );
  assert.deepEqual([...(await households.byDids(asked)).keys()].sort(), dids);
  assert.deepEqual([...(await households.unregistered(asked))], ["did:ixo:unseen/nobody"]);
});

test("refuses an import as a whole that it cannot read, and changes nothing", async () => {
  const before = await registry.deps.chain.read("participants", "householdCount", []);
  const json = { "content-type": "application/json" };
  const cases: [string, Record<string, string>, string][] = [
    ["did\ndid:ixo:x/1\n", json, "content-type"],
    ["did,shoe\ndid:ixo:x/1,42\n", csv, "known-column"],
    ["", csv, "header"],
    ["did\n", csv, "rows"],
    ['did\n"did:ixo:x/1', csv, "csv"],
  ];
  for (const [body, headers, rule] of cases) {
    const answer = await implementer("POST", "/households/import", body, headers);
    assert.deepEqual([answer.status, rulesOf(answer)], [400, [rule]], rule);
  }
  const supplier = await registry.as("regulator");
  assert.equal((await supplier("POST", "/households/import", "did\ndid:ixo:x/1\n", csv)).status, 403);
  assert.equal(await registry.deps.chain.read("participants", "householdCount", []), before);
});

test("reads households that are asked for at the same time in one statement", async () => {
  const dids = ["did:ixo:household/together-1", "did:ixo:household/together-2", "did:ixo:household/together-3"];
  for (const did of dids) assert.equal((await implementer("POST", "/households", { did })).status, 201);
  const { stores, ledger, households: known } = registry.deps.registry;
  const indexes = [...(await known.byDids(dids)).values()].map(({ household }) => household);
  let statements = 0;
  const byIndexes = (asked: number[]) => {
    statements += 1;
    return stores.households.byIndexes(asked);
  };
  const fresh = new HouseholdDirectory({ ...stores.households, byIndexes }, ledger, "7".repeat(64));
  const found = await Promise.all([...indexes, 999_999].map((index) => fresh.byIndex(index)));
  assert.deepEqual(new Set(found.map((row) => row?.did)), new Set([...dids, undefined]));
  assert.equal(statements, 1);
});
