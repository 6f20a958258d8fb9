import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openTestHttp, type TestHttp } from "../../../test/support/files/http.ts";

let http: TestHttp;
before(async () => {
  http = await openTestHttp();
});
after(() => http.close());

const open = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  http.app.request(`/public${path}`, { method, headers: { "x-request-id": "same", ...headers } });
const owner = () => encodeURIComponent(http.owner.did());
const json = { "content-type": "application/json" };

async function create(
  path: string,
  body: string,
  query = "",
): Promise<{ id: string; cid: string; publicUrl?: string }> {
  const hidden = await http.bearer({ nb: { hidden: "*" } });
  return await (await http.fs("POST", `/files?path=${path}${query}`, { body, as: hidden })).json();
}

/** The answer to what is not there, whole but for the headers that count requests. */
async function refusal(path: string): Promise<string> {
  const answer = await open(path);
  const headers = [...answer.headers].filter(([name]) => !name.startsWith("ratelimit"));
  return JSON.stringify([answer.status, headers, await answer.text()]);
}

test("serves a public head by id, CID and path as an attachment that may be cached for a minute", async () => {
  const { id, cid, publicUrl } = await create("/site/a b.html", "<script>alert(1)</script>", "&public=true");
  assert.ok(publicUrl?.endsWith(`/public/id/${id}`));
  for (const path of [`/id/${id}`, `/cid/${cid}`, `/${owner()}/site/a%20b.html`]) {
    const answer = await open(path);
    assert.equal(answer.status, 200, path);
    assert.equal(await answer.text(), "<script>alert(1)</script>");
    assert.equal(answer.headers.get("cache-control"), "public, max-age=60");
    assert.equal(answer.headers.get("content-disposition"), 'attachment; filename="a b.html"');
    assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
    assert.equal(answer.headers.get("content-security-policy"), "default-src 'none'; sandbox");
    assert.equal((await open(path, { "if-none-match": `"${cid}"` })).status, 304);
    assert.equal(await (await open(path, { range: "bytes=0-7" })).text(), "<script>");
    assert.equal((await open(path, {}, "HEAD")).headers.get("content-length"), "25");
  }
});

test("is data to pages of this server, which run none of it, and a file to everybody else", async () => {
  const { id } = await create("/site/app.js", "alert(1)", "&public=true");
  const as = async (site: string, dest: string) =>
    (await open(`/id/${id}`, { "sec-fetch-site": site, "sec-fetch-dest": dest })).status;
  for (const dest of ["script", "style", "worker", "sharedworker", "serviceworker"])
    assert.equal(await as("same-origin", dest), 403, dest);
  for (const dest of ["document", "empty", "image"]) assert.equal(await as("same-origin", dest), 200, dest);
  for (const site of ["cross-site", "none"]) assert.equal(await as(site, "script"), 200, site);
  assert.match((await open(`/id/${id}`)).headers.get("vary") ?? "", /Sec-Fetch-Dest/);
});

test("answers everything that is not public alike, to the byte", async () => {
  const secret = await create("/private.txt", "private bytes");
  const trashed = await create("/gone.txt", "trashed bytes", "&public=true");
  await http.fs("DELETE", `/files/${trashed.id}`);
  const purged = await create("/purged.txt", "purged bytes", "&public=true");
  assert.equal((await http.fs("POST", `/files/${purged.id}/purge`)).status, 200);
  const old = await create("/changed.txt", "old bytes", "&public=true");
  await http.fs("PUT", `/files/${old.id}`, { body: "new bytes" });
  const expected = await refusal("/id/01ARZ3NDEKTSV4RRFFQ69G5FAV");
  assert.match(expected, /^\[404,/);
  for (const path of [
    `/id/${secret.id}`,
    `/cid/${secret.cid}`,
    `/${owner()}/private.txt`,
    `/id/${trashed.id}`,
    `/cid/${trashed.cid}`,
    `/${owner()}/gone.txt`,
    `/id/${purged.id}`,
    `/cid/${purged.cid}`,
    `/cid/${old.cid}`,
    "/id/none",
    "/id/%00",
    "/cid/none",
    "/cid/bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e",
    `/${owner()}/none`,
    `/${owner()}/a//b`,
    `/${owner()}/`,
    "/did:key:zz/none",
    "/%00/%00",
    "/x",
  ]) {
    assert.equal(await refusal(path), expected, path);
  }
  assert.equal(await (await open(`/${owner()}/changed.txt`)).text(), "new bytes");
});

test("follows a folder's mark, and a file's own mark when it is hidden", async () => {
  const inFolder = await create("/open/plain.txt", "in folder");
  const dot = await create("/open/.dot.txt", "dot file");
  const own = await create("/open/.own.txt", "own mark", "&public=true");
  const body = JSON.stringify({ path: "/open", public: true });
  assert.equal((await open(`/id/${inFolder.id}`)).status, 404);
  assert.equal((await http.fs("PUT", "/folders/public", { body, headers: json })).status, 200);
  for (const path of [`/id/${inFolder.id}`, `/cid/${inFolder.cid}`]) assert.equal((await open(path)).status, 200);
  for (const path of [`/id/${dot.id}`, `/cid/${dot.cid}`]) assert.equal((await open(path)).status, 404);
  assert.equal((await open(`/id/${own.id}`)).status, 200);
  const closed = JSON.stringify({ path: "/open", public: false });
  await http.fs("PUT", "/folders/public", { body: closed, headers: json });
  assert.equal((await open(`/id/${inFolder.id}`)).status, 404);
});

test("notes public reads for the audit", async () => {
  const { id } = await create("/noted.txt", "noted", "&public=true");
  await (await open(`/id/${id}`)).text();
  await http.deps.files.audit.flush?.();
  const events = await (await http.fs("GET", `/files/${id}/events`)).json();
  assert.ok(events.items.some(({ kind }: { kind: string }) => kind === "public.read"));
});
