import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "drizzle-orm";
import { onEachDatabase } from "../../../test/support/files/databases.ts";
import { allHidden, streamOf, type TestScope, testContext, textOf } from "../../../test/support/files/files.ts";
import { parseCid } from "../../platform/ucan/index.ts";
import type { FileContext } from "../deps.ts";
import { listVersions } from "../versions/list-versions.ts";
import { restoreVersion } from "../versions/restore-version.ts";
import { createFile } from "../write/create-file.ts";
import { writeFile } from "../write/write-file.ts";
import { listCids } from "./list-cids.ts";
import { openCid } from "./open-cid.ts";
import { openContent } from "./open-content.ts";
import { readFile } from "./read-file.ts";

const key = (cid: string) => parseCid(cid).key;
const none = { all: false, paths: [], cids: new Set<string>() };
const notFound = { code: "NOT_FOUND", message: "There is no such file here." };
let owners = 0;

onEachDatabase((stores) => {
  const begin = () => {
    const owner = `did:key:zCids${++owners}`;
    const withScope = (...scopes: TestScope[]) => testContext(stores.one, owner, ...scopes);
    return { ctx: withScope({ hidden: allHidden }), withScope, owner };
  };
  const make = (ctx: FileContext, path: string, text: string) =>
    createFile(ctx, { path, mimeType: "text/plain", content: streamOf(text) });
  const read = async (ctx: FileContext, cid: string) => textOf(await openCid(ctx, { cid }));

  test("resolves heads before history, in any multibase, and never another namespace's", async () => {
    const { ctx } = begin();
    const a = await make(ctx, "/a", "hello world");
    await writeFile(ctx, { ref: { id: a.id }, content: streamOf("second") });
    const old = await openCid(ctx, { cid: a.cid });
    assert.deepEqual([old.file.id, old.version, await textOf(old)], [a.id, 1, "hello world"]);
    const b = await make(ctx, "/b", "hello world");
    for (const cid of [a.cid, "zb2rhj7crUKTQYRGCRATFaQ6YFLTde2YzdqbbhAASkL9uRDXn", a.cid.toUpperCase()]) {
      const found = await openCid(ctx, { cid });
      assert.deepEqual([found.file.id, found.version], [b.id, 1]);
    }
    await assert.rejects(read(begin().ctx, a.cid), notFound);
    await assert.rejects(read(ctx, "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"), notFound);
    await assert.rejects(read(ctx, "nonsense"), { code: "INVALID_INPUT" });
  });

  test("follows the file's current path and marks immediately", async () => {
    const { ctx, withScope, owner } = begin();
    const { id, cid } = await make(ctx, "/docs/a", "old bytes");
    await writeFile(ctx, { ref: { id }, content: streamOf("new bytes") });
    const docs = withScope({ path: "/docs" });
    const all = withScope({});
    const set = (change: ReturnType<typeof sql>) =>
      ctx.deps.db.execute(sql`update files set ${change} where id = ${id}`);
    assert.equal((await listVersions(docs, { ref: { id } })).count, 2);
    assert.equal(await read(docs, cid), "old bytes");
    await set(sql`path = '/docs2/a'`);
    for (const call of [
      () => listVersions(docs, { ref: { id } }),
      () => openContent(docs, { ref: { id }, version: 1 }),
      () => restoreVersion(docs, { ref: { id }, version: 1 }),
      () => read(docs, cid),
      () => readFile(docs, { ref: { id } }),
    ]) {
      await assert.rejects(call(), notFound);
    }
    for (const hide of [
      () => set(sql`hidden = true`),
      () => set(sql`hidden = false, path = '/docs2/.a'`),
      () =>
        ctx.deps.db.execute(sql`insert into folder_flags (namespace, path, hidden) values (${owner}, '/docs2', true)`),
    ]) {
      await hide();
      await assert.rejects(read(all, cid), notFound);
      await assert.rejects(listVersions(all, { ref: { id } }), notFound);
      assert.equal(await read(withScope({ hidden: { ...none, paths: ["/docs2"] } }), cid), "old bytes");
      await set(sql`path = '/docs2/a'`);
    }
    const byCid = withScope({ hidden: { ...none, cids: new Set([key(cid)]) } });
    assert.equal(await read(byCid, cid), "old bytes", "a CID in nb.hidden reveals those bytes");
    await assert.rejects(listVersions(byCid, { ref: { id } }), notFound, "by CID fetch alone");
  });

  test("lets a token that is bound to CIDs fetch those and do nothing else", async () => {
    const { ctx, withScope } = begin();
    const a = await make(ctx, "/a", "a");
    const b = await make(ctx, "/b", "b");
    await writeFile(ctx, { ref: { id: a.id }, content: streamOf("a2") });
    const absent = "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku";
    const bound = withScope({ cids: new Set([key(a.cid), key(absent)]) });
    assert.equal(await read(bound, a.cid), "a");
    await assert.rejects(read(bound, b.cid), { code: "FORBIDDEN" });
    await assert.rejects(read(bound, absent), notFound);
    for (const id of [a.id, "01ARZ3NDEKTSV4RRFFQ69G5FAV"]) {
      await assert.rejects(listVersions(bound, { ref: { id } }), { code: "FORBIDDEN" });
      await assert.rejects(restoreVersion(bound, { ref: { id }, version: 1 }), { code: "FORBIDDEN" });
      await assert.rejects(readFile(bound, { ref: { id } }), { code: "FORBIDDEN" });
    }
    const list = await listCids(bound);
    assert.deepEqual(
      [list.items.map(({ cid, current, path }) => [cid, current, path]), list.nextCursor],
      [[[a.cid, false, undefined]], null],
    );
  });

  test("lists the CIDs of readable heads in pages", async () => {
    const { ctx, withScope } = begin();
    for (const name of ["a", "b", "c", ".hidden"]) await make(ctx, `/${name}`, name);
    const reader = withScope({});
    const first = await listCids(reader, { limit: 2 });
    const second = await listCids(reader, { limit: 2, cursor: first.nextCursor ?? "" });
    assert.deepEqual(
      [...first.items, ...second.items].map(({ path }) => path),
      ["/a", "/b", "/c"],
    );
    assert.equal(second.nextCursor, null);
    for (const { cid, path } of first.items) assert.equal(`/${await read(reader, cid)}`, path);
  });
});
