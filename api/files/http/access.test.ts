import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openTestHttp, type TestHttp } from "../../../test/support/files/http.ts";
import { generateKey } from "../../platform/ucan/mint.ts";

let http: TestHttp;
before(async () => {
  http = await openTestHttp();
});
after(() => http.close());

const same = { "x-request-id": "same" };

async function create(path: string, body = path, as?: string): Promise<{ id: string; cid: string }> {
  const answer = await http.fs("POST", `/files?path=${encodeURIComponent(path)}`, { body, ...(as ? { as } : {}) });
  assert.equal(answer.status, 201, path);
  return await answer.json();
}

/** Status, headers but for those that count requests, and body. */
async function whole(answer: Response): Promise<string> {
  const headers = [...answer.headers].filter(([name]) => !name.startsWith("ratelimit"));
  return JSON.stringify([answer.status, headers, await answer.text()]);
}

test("answers 401 with a challenge to no token, another scheme, and a bad one", async () => {
  for (const [authorization, code] of [
    [undefined, "UNAUTHENTICATED"],
    ["Basic eDp5", "UNAUTHENTICATED"],
    ["Bearer nonsense", "INVALID_TOKEN"],
    [await http.bearer({ audience: http.owner.did() }), "WRONG_AUDIENCE"],
    [await http.bearer({ expiration: 1_000_000_000 }), "EXPIRED"],
  ] as const) {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    const answer = await http.app.request("/api/fs/files", { headers });
    assert.equal(answer.status, 401, code);
    assert.equal((await answer.json()).code, code);
    assert.match(answer.headers.get("www-authenticate") ?? "", /^Bearer realm="hearth-files"/);
  }
});

test("accepts X-Auth-Type: ucan, and forbids caching of every response", async () => {
  const answer = await http.fs("GET", "/files", { headers: { "x-auth-type": "ucan" } });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("cache-control"), "private, no-store");
  const missing = await http.fs("GET", "/files/none");
  assert.equal(missing.headers.get("cache-control"), "private, no-store");
});

test("answers what may not be known of alike, to the byte, on every route of a file", async () => {
  const reveal = await http.bearer({ nb: { hidden: "*" } });
  const hidden = await create("/.secret", "hidden bytes", reveal);
  const outside = await create("/outside.txt");
  const trashed = await create("/inside/trashed.txt");
  await http.fs("DELETE", `/files/${trashed.id}`);
  const purged = await create("/inside/purged.txt");
  await http.fs("POST", `/files/${purged.id}/purge`);
  const stranger = await http.bearer({ issuer: await generateKey() });
  const foreign = await create("/inside/foreign.txt", "x", stranger);
  const as = await http.bearer({ path: "/inside" });
  const routes = (id: string): [string, string, (string | undefined)?][] => [
    ["GET", `/files/${id}`],
    ["GET", `/files/${id}/content`],
    ["GET", `/files/${id}/read`],
    ["GET", `/files/${id}/versions`],
    ["GET", `/files/${id}/versions/1/content`],
    ["GET", `/files/${id}/versions/diff?from=1&to=1`],
    ["GET", `/files/${id}/events`],
    ["POST", `/files/${id}/versions/1/restore`],
    ["PUT", `/files/${id}`, "x"],
    ["PATCH", `/files/${id}/edit`, '{"oldString":"a","newString":"b"}'],
    ["PATCH", `/files/${id}/hidden`, '{"hidden":true}'],
    ["PATCH", `/files/${id}/public`, '{"public":true}'],
    ["PUT", `/files/${id}/versions/1/label`, '{"label":"a"}'],
  ];
  for (const [index, [method, absent, body]] of routes("01ARZ3NDEKTSV4RRFFQ69G5FAV").entries()) {
    const ask = async (path: string) =>
      await whole(await http.fs(method, path, { as, headers: same, ...(body ? { body } : {}) }));
    const expected = await ask(absent);
    assert.match(expected, /^\[404,.*NOT_FOUND/, absent);
    for (const { id } of [hidden, outside, trashed, purged, foreign]) {
      const path = routes(id)[index]?.[1] ?? "";
      assert.equal(await ask(path), expected, `${method} ${path}`);
    }
  }
  for (const id of [hidden.id, outside.id, purged.id, foreign.id]) {
    const ask = async (path: string) => await whole(await http.fs("DELETE", path, { as, headers: same }));
    assert.equal(await ask(`/files/${id}`), await ask("/files/01ARZ3NDEKTSV4RRFFQ69G5FAV"));
  }
  const cid = async (of: string) => await whole(await http.fs("GET", `/cid/${of}`, { as, headers: same }));
  const expected = await cid("bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e");
  for (const file of [hidden, outside, trashed, purged]) assert.equal(await cid(file.cid), expected);
});

test("answers 403 without the ability, and to a token of certain CIDs on any other route", async () => {
  const file = await create("/cids/one.txt");
  const other = await create("/cids/two.txt");
  const reader = await http.bearer({ abilities: ["fs/read"] });
  assert.equal((await http.fs("PUT", `/files/${file.id}`, { as: reader, body: "x" })).status, 403);
  assert.equal((await http.fs("DELETE", "/files/none", { as: reader })).status, 403);
  const bound = await http.bearer({ nb: { cids: [file.cid] } });
  assert.equal((await http.fs("GET", `/cid/${file.cid}`, { as: bound })).status, 200);
  assert.equal((await http.fs("GET", `/cid/${other.cid}`, { as: bound })).status, 403);
  for (const path of [`/files/${file.id}`, "/files/none", "/files", "/content?path=/none", "/search?q=x", "/usage"]) {
    assert.equal((await http.fs("GET", path, { as: bound })).status, 403, path);
  }
  const folder = await http.bearer({ path: "/cids" });
  assert.equal((await http.fs("GET", "/events", { as: folder })).status, 403);
});

test("names every broken field of a request together", async () => {
  const answer = await http.fs("POST", "/files?path=a//../b%5C&hidden=yes&x=1&public=true&public=true", { body: "x" });
  const { details } = (await answer.json()) as { details: { path: string; rule: string }[] };
  assert.equal(answer.status, 400);
  const found = details.map(({ path, rule }) => `${path}:${rule}`);
  for (const expected of [
    "query.path:path-absolute",
    "query.path:path-empty-segment",
    "query.path:path-dot-segment",
    "query.path:path-backslash",
    "query.hidden:one-of",
    "query.public:one-of",
    "query.x:unknown-field",
  ]) {
    assert.ok(found.includes(expected), `${expected} of ${found.join(" ")}`);
  }
});

test("limits requests per namespace and invoker, and says when to come back", async () => {
  const limited = await openTestHttp({ FS_REQUESTS_PER_MINUTE: "3" });
  try {
    const statuses: number[] = [];
    for (let i = 0; i < 4; i++) statuses.push((await limited.fs("GET", "/files")).status);
    assert.deepEqual(statuses, [200, 200, 200, 429]);
    const refused = await limited.fs("GET", "/files", { as: await limited.bearer({ abilities: ["fs/list"] }) });
    assert.equal(refused.status, 429);
    assert.match(refused.headers.get("retry-after") ?? "", /^\d+$/);
    assert.match(refused.headers.get("ratelimit") ?? "", /r=0/);
    assert.equal((await refused.json()).code, "RATE_LIMITED");
    const other = await limited.bearer({ issuer: await generateKey() });
    assert.equal((await limited.fs("GET", "/files", { as: other })).status, 200);
    for (let i = 0; i < 3; i++) assert.equal((await limited.app.request("/public/id/none")).status, 404);
    assert.equal((await limited.app.request("/public/id/none")).status, 429);
  } finally {
    await limited.close();
  }
});

test("tells what a browser may send and read", async () => {
  const preflight = await http.app.request("/api/fs/files/x", {
    method: "OPTIONS",
    headers: { origin: "https://app.example", "access-control-request-method": "PUT" },
  });
  assert.equal(preflight.status, 204);
  const allowed = preflight.headers.get("access-control-allow-headers") ?? "";
  for (const name of ["Authorization", "If-Match", "Range", "Upload-Offset", "Tus-Resumable"]) {
    assert.ok(allowed.includes(name), name);
  }
  const answer = await http.fs("GET", "/files", { headers: { origin: "https://app.example" } });
  const exposed = (answer.headers.get("access-control-expose-headers") ?? "").toLowerCase();
  for (const name of ["etag", "content-range", "x-vfs-cid", "x-vfs-content-hash", "location", "upload-offset"]) {
    assert.ok(exposed.includes(name), name);
  }
});
