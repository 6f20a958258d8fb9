import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Listening, listen, openTestHttp, type TestHttp } from "../../../test/support/files/http.ts";
import { generateKey } from "../../platform/ucan/mint.ts";

let http: TestHttp;
let server: Listening;
let authorization: string;
before(async () => {
  http = await openTestHttp();
  server = await listen(http.app);
  authorization = await http.bearer();
});
after(async () => {
  await server.close();
  await http.close();
});

type Json = Record<string, unknown> & { id: string; cid: string; version: number; path: string };
type Sent = { body?: string; type?: string; headers?: Record<string, string>; as?: string; status?: number };

/** Send over a real connection; the answer must have the status (200 unless told). */
async function send(method: string, path: string, { body, type, headers, as, status = 200 }: Sent = {}) {
  const sent = {
    authorization: as ?? authorization,
    ...(type === undefined ? {} : { "content-type": type }),
    ...headers,
  };
  const answer = await fetch(`${server.url}${path}`, {
    method,
    headers: sent,
    ...(body === undefined ? {} : { body: Buffer.from(body) }),
  });
  const text = await answer.text();
  assert.equal(answer.status, status, `${method} ${path}: ${text}`);
  return { answer, text, json: () => JSON.parse(text) as Json };
}
const fs = (method: string, path: string, sent?: Sent) => send(method, `/api/fs${path}`, sent);
const post = (path: string, value: unknown, sent?: Sent) => fs("POST", path, { body: JSON.stringify(value), ...sent });

test("a file's whole life: written, edited, compared, restored, moved, hidden, shared, trashed, purged", async () => {
  const owner = http.owner.did();
  const made = (
    await fs("POST", "/files?path=/reports/hello.txt", { body: "hello world", type: "text/plain", status: 201 })
  ).json();
  assert.deepEqual(
    { ...made, id: "", createdAt: 0, updatedAt: 0 },
    {
      id: "",
      path: "/reports/hello.txt",
      name: "hello.txt",
      namespace: owner,
      size: 11,
      mimeType: "text/plain",
      cid: "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e",
      contentHash: "sha256-uU0nuZNNPgilLlLX2n2r+sSE7+N6U4DukIj3rOLvzek=",
      version: 1,
      hidden: false,
      hiddenEffective: false,
      public: false,
      createdAt: 0,
      updatedAt: 0,
      createdBy: owner,
      metadata: {},
      versionsRemaining: 49,
    },
  );
  const { id } = made;

  const taken = (await fs("POST", "/files?path=/reports/hello.txt", { body: "x", status: 409 })).json();
  assert.deepEqual([taken.code, taken.error, taken.status, taken.statusCode], ["CONFLICT", "Conflict", 409, 409]);
  await fs("POST", "/files?path=/reports/hello.txt", { body: "x", headers: { "if-none-match": "*" }, status: 412 });

  const stale = (
    await fs("PUT", `/files/${id}`, { body: "x", headers: { "if-match": '"bafkother"' }, status: 412 })
  ).json();
  assert.deepEqual(stale.head, { version: 1, cid: made.cid });
  assert.equal(stale.versionsRemaining, 49);
  const second = (
    await fs("PUT", `/files/${id}`, { body: "hello\nthere\n", headers: { "if-match": `"${made.cid}"` } })
  ).json();
  assert.deepEqual([second.version, second.mimeType], [2, "text/plain"]);
  assert.equal((await fs("PUT", `/files/${id}`, { body: "hello\nthere\n" })).json().version, 2);

  const edit = JSON.stringify({ oldString: "there", newString: "here" });
  const edited = (await fs("PATCH", `/files/${id}/edit`, { body: edit })).json();
  assert.deepEqual([edited.version, edited.replacements], [3, 1]);
  const missed = (await fs("PATCH", `/files/${id}/edit`, { body: edit, status: 409 })).json();
  assert.equal(missed.message, "oldString not found");
  const lines = (await fs("GET", `/files/${id}/read?offset=2&limit=1`)).json();
  assert.deepEqual([lines.text, lines.offset, lines.count, lines.totalLines], ["     2\there", 2, 1, 2]);

  const diff = (await fs("GET", `/files/${id}/versions/diff?from=2&to=3`)).json();
  assert.match(String(diff.diff), /-there\n\+here/);
  await fs("PUT", `/files/${id}/versions/1/label`, { body: JSON.stringify({ label: "first", pinned: true }) });
  const restored = (await fs("POST", `/files/${id}/versions/1/restore`)).json();
  assert.deepEqual([restored.cid, restored.version, restored.metadata], [made.cid, 4, { revertedTo: 1 }]);
  const again = (await fs("POST", `/files/${id}/versions/4/restore`, { status: 400 })).json();
  assert.equal(again.status, 400);
  const pruned = (await post(`/files/${id}/versions/prune`, { keep: 1 })).json();
  assert.deepEqual([pruned.pruned, pruned.count], [[3, 2], 2]);
  const { versions } = (await fs("GET", `/files/${id}/versions`)).json() as unknown as { versions: Json[] };
  assert.deepEqual(
    versions.map(({ version, label, pinned, current }) => [version, label, pinned, current]),
    [
      [4, undefined, undefined, true],
      [1, "first", true, false],
    ],
  );

  const items = [
    { id, destinationPath: "/archive/hello.txt", version: 3 },
    { id, destinationPath: "/archive/hello.txt" },
  ];
  const moved = (await post("/batch/move", { items })).json() as unknown as { results: Json[]; succeeded: number };
  assert.deepEqual(
    moved.results.map(({ ok, status, code, path }) => [ok, status, code, path]),
    [
      [false, 409, "STALE_MOVE", undefined],
      [true, 200, undefined, "/archive/hello.txt"],
    ],
  );
  const listed = (await fs("GET", "/files?path=/archive")).json() as unknown as { items: Json[] };
  assert.deepEqual(
    listed.items.map(({ path }) => path),
    ["/archive/hello.txt"],
  );
  assert.match((await fs("GET", "/tree")).text, /"kind":"folder","path":"\/archive"/);
  assert.match((await fs("GET", "/glob?pattern=/**/*.txt")).text, /archive\/hello/);
  assert.match((await fs("GET", "/search?q=world")).text, /archive\/hello/);
  assert.match((await fs("GET", "/grep?q=hello&path=/archive")).text, /"line":1/);
  assert.match((await fs("GET", "/cids")).text, new RegExp(made.cid));

  await fs("PATCH", `/files/${id}/hidden`, { body: '{"hidden":true}' });
  await fs("GET", `/files/${id}/versions`, { status: 404 });
  await fs("GET", `/cid/${made.cid}`, { status: 404 });
  await fs("PATCH", `/files/${id}/hidden`, { body: '{"hidden":"no"}', status: 400 });
  const reveal = await http.bearer({ nb: { hidden: "/archive" } });
  await fs("PATCH", `/files/${id}/hidden`, { body: '{"hidden":false}', as: reveal });
  const open = (await fs("PATCH", `/files/${id}/public`, { body: '{"public":true}' })).json();
  assert.equal(
    await (await fetch(String(open.publicUrl).replace(/^https?:\/\/[^/]+/, server.url))).text(),
    "hello world",
  );

  const guest = await generateKey();
  const theirs = await http.bearer({ issuer: guest, owner, proofs: [] });
  await fs("GET", `/files/${id}`, { as: theirs, status: 401 });

  assert.ok((await fs("DELETE", `/files/${id}`)).json().trashedAt);
  await fs("GET", `/files/${id}/versions`, { status: 404 });
  assert.match((await fs("GET", "/trash")).text, new RegExp(id));
  assert.equal((await fs("POST", `/files/${id}/restore`)).json().path, "/archive/hello.txt");
  await fs("GET", `/files/${id}/versions/1/content`);
  assert.match((await fs("GET", "/usage")).text, /"files":1,"versions":2/);

  const { receipt } = (await fs("POST", `/files/${id}/purge`)).json();
  const claims = Buffer.from(await http.deps.files.identity.verifyJws(String(receipt))).toString();
  assert.ok(claims.includes(id), claims);
  for (const path of [`/files/${id}`, `/files/${id}/versions`, `/cid/${made.cid}`])
    await fs("GET", path, { status: 404 });
  const events = (await fs("GET", "/events?limit=100")).json() as unknown as { items: { kind: string }[] };
  const kinds = new Set(events.items.map(({ kind }) => kind));
  for (const kind of ["file.created", "content.written", "edit", "version.restored", "moved", "pruned", "purged"]) {
    assert.ok(kinds.has(kind), `${kind} of ${[...kinds].join(" ")}`);
  }
});

test("batches answer item by item, and unknown ids like foreign ones", async () => {
  const ids: string[] = [];
  for (const name of ["a", "b"]) {
    ids.push((await fs("POST", `/files?path=/batch/${name}`, { body: name, status: 201 })).json().id);
  }
  const all = [...ids, "01ARZ3NDEKTSV4RRFFQ69G5FAV"];
  for (const verb of ["delete", "restore", "delete", "purge"]) {
    const { results, succeeded, failed } = (await post(`/batch/${verb}`, { ids: all })).json() as unknown as {
      results: { ok: boolean; status: number; code?: string; receipt?: string }[];
      succeeded: number;
      failed: number;
    };
    assert.deepEqual([succeeded, failed], [2, 1], verb);
    assert.deepEqual(
      results.map(({ ok, status, code }) => [ok, status, code]),
      [
        [true, 200, undefined],
        [true, 200, undefined],
        [false, 404, "NOT_FOUND"],
      ],
      verb,
    );
    assert.equal(results[0]?.receipt !== undefined, verb === "purge");
  }
  await post("/batch/delete", { ids: [] }, { status: 400 });
  await post("/batch/delete", { ids: Array.from({ length: 1001 }, () => "x") }, { status: 400 });
});
