import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openTestHttp, type TestHttp } from "../../../test/support/files/http.ts";

let http: TestHttp;
before(async () => {
  http = await openTestHttp();
});
after(() => http.close());

const json = (value: unknown) => JSON.stringify(value);
const under = (cid: string) => ({ headers: { "if-match": `"${cid}"` } });

/** A file with two versions. */
async function twoVersions(path: string) {
  const first = await (await http.fs("POST", `/files?path=${path}`, { body: "first" })).json();
  const second = await (await http.fs("PUT", `/files/${first.id}`, { body: "second" })).json();
  return { id: String(first.id), old: String(first.cid), head: String(second.cid) };
}

test("creates nothing under If-Match, which a path without a file cannot meet", async () => {
  for (const tag of ["*", '"bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"']) {
    const answer = await http.fs("POST", "/files?path=/absent", { body: "x", headers: { "if-match": tag } });
    const { status, code, details } = await answer.json();
    assert.deepEqual([status, code, details[0].path], [412, "PRECONDITION_FAILED", "If-Match"]);
  }
  assert.equal((await http.fs("GET", "/content?path=/absent")).status, 404);
});

test("changes one file only under the head that If-Match names, by every route", async () => {
  const { id, old, head } = await twoVersions("/one");
  const changes: [method: string, path: string, body?: string][] = [
    ["PATCH", `/files/${id}/hidden`, json({ hidden: false })],
    ["PATCH", `/files/${id}/public`, json({ public: true })],
    ["PUT", `/files/${id}/versions/1/label`, json({ label: "as begun" })],
    ["POST", `/files/${id}/versions/prune`, json({ keep: 50 })],
    ["DELETE", `/files/${id}`],
    ["POST", `/files/${id}/restore`],
    ["POST", `/files/${id}/purge`],
  ];
  for (const [method, path, body] of changes) {
    const send = (cid: string) => http.fs(method, path, { ...under(cid), ...(body === undefined ? {} : { body }) });
    const refused = await send(old);
    assert.equal(refused.status, 412, `${method} ${path}`);
    assert.equal((await refused.json()).head.cid, head, `${method} ${path}`);
    assert.equal((await send(head)).status, 200, `${method} ${path}`);
  }
  assert.equal((await http.fs("GET", `/files/${id}`)).status, 404);
});

test("holds If-Match against each item of a batch", async () => {
  const one = await twoVersions("/batch-1");
  const other = (await (await http.fs("POST", "/files?path=/batch-2", { body: "other" })).json()).id;
  const ids = json({ ids: [one.id, other, "01KAZ5T6Q4M7R8S9T0V1W2X3Y4"] });
  const items = json({
    items: [
      { id: one.id, destinationPath: "/moved-1" },
      { id: other, destinationPath: "/moved-2" },
      { id: "01KAZ5T6Q4M7R8S9T0V1W2X3Y4", destinationPath: "/moved-3" },
    ],
  });
  const batches = [
    ["/batch/move", items],
    ["/batch/delete", ids],
    ["/batch/restore", ids],
    ["/batch/delete", ids],
    ["/batch/purge", ids],
  ] as const;
  for (const [path, body] of batches) {
    const { results } = await (await http.fs("POST", path, { body, ...under(one.head) })).json();
    // Restoring looks into the trash, where the other one is not.
    const second = path === "/batch/restore" ? 404 : 412;
    assert.deepEqual(
      results.map(({ status }: { status: number }) => status),
      [200, second, 404],
      path,
    );
  }
});

test("tells nothing by If-Match of a file that the token may not see", async () => {
  const { id, old } = await twoVersions("/unseen");
  const as = await http.bearer({ path: "/elsewhere" });
  const hide = await http.fs("PATCH", `/files/${id}/hidden`, { as, body: json({ hidden: true }), ...under(old) });
  assert.equal(hide.status, 404);
  for (const [path, body] of [
    ["/batch/delete", json({ ids: [id] })],
    ["/batch/purge", json({ ids: [id] })],
    ["/batch/move", json({ items: [{ id, destinationPath: "/elsewhere/seen" }] })],
  ] as const) {
    const { results } = await (await http.fs("POST", path, { as, body, ...under(old) })).json();
    assert.deepEqual([results[0].status, results[0].code], [404, "NOT_FOUND"], path);
  }
});

test("refuses a version with zeros before it", async () => {
  const { id } = await twoVersions("/numbers");
  for (const version of ["01", "00", "+1", "1.0", "0x1"]) {
    const answer = await http.fs("GET", `/files/${id}/versions/${encodeURIComponent(version)}/content`);
    assert.equal(answer.status, 400, version);
  }
  assert.equal((await http.fs("GET", `/files/${id}/versions/1/content`)).status, 200);
});

test("treats a number that no version can have as an unknown version", async () => {
  const { id } = await twoVersions("/far");
  const gone = async (method: string, path: string) => {
    const { requestId, ...body } = await (await http.fs(method, path)).json();
    assert.equal(body.status, 404, path);
    assert.ok(requestId);
    return body;
  };
  const absent = await gone("GET", `/files/${id}/versions/3/content`);
  for (const version of ["0", "2147483648", "9".repeat(30)]) {
    assert.deepEqual(await gone("GET", `/files/${id}/versions/${version}/content`), absent);
    assert.deepEqual(await gone("POST", `/files/${id}/versions/${version}/restore`), absent);
  }
});

test("counts in the usage what the token may see, the trash included, and nothing of the rest", async () => {
  const world = await openTestHttp();
  try {
    const put = async (path: string, body: string) => (await world.fs("POST", `/files?path=${path}`, { body })).json();
    const file = await put("/scoped/a", "12345");
    await world.fs("PUT", `/files/${file.id}`, { body: "1234567" });
    const trashed = await put("/scoped/trashed", "123");
    await world.fs("DELETE", `/files/${trashed.id}`);
    await put("/scoped2/b", "12");
    const hidden = await put("/scoped/hidden", "1");
    await world.fs("PATCH", `/files/${hidden.id}/hidden`, { body: json({ hidden: true }) });
    const usage = async (as?: string) => {
      const { quota: _, ...counts } = await (await world.fs("GET", "/usage", as === undefined ? {} : { as })).json();
      return counts;
    };
    const revealing = await usage(await world.bearer({ nb: { hidden: "*" } }));
    assert.deepEqual(revealing, { bytes: 18, files: 4, versions: 5 });
    assert.deepEqual(await usage(), { bytes: 17, files: 3, versions: 4 });
    await world.fs("PUT", "/folders/hidden", { body: json({ path: "/scoped2", hidden: true }) });
    assert.deepEqual(await usage(), { bytes: 15, files: 2, versions: 3 });
    const scoped = await usage(await world.bearer({ path: "/scoped", abilities: ["fs/list"] }));
    assert.deepEqual(scoped, { bytes: 15, files: 2, versions: 3 });
    const elsewhere = await usage(await world.bearer({ path: "/elsewhere", abilities: ["fs/list"] }));
    assert.deepEqual(elsewhere, { bytes: 0, files: 0, versions: 0 });
  } finally {
    await world.close();
  }
});
