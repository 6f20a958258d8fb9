import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "drizzle-orm";
import { countTraces, freshNamespace, openTestFiles, type TestFiles, textOf } from "../../test/support/files/files.ts";
import { createDidResolver, didKeyMethod } from "../platform/dids/did-resolution.ts";
import { AppError } from "../platform/errors.ts";
import type { FileStore } from "../platform/ports/files.ts";
import { openAuthority, ServiceAccess } from "../platform/ucan/index.ts";
import { createFileStore } from "./file-store.ts";

let files: TestFiles;
let store: FileStore;
before(async () => {
  files = await openTestFiles();
  store = createFileStore(files.deps);
});
after(() => files.close());

const textFile = (path: string, text: string) => ({ path, mimeType: "text/plain", content: Buffer.from(text) });
const withCode = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;

test("puts a new file, then a new version of it, and changes nothing for the same bytes", async () => {
  const { ctx: caller } = freshNamespace(files);
  const first = await store.put(caller, textFile("/a.txt", "one"));
  const second = await store.put(caller, textFile("/a.txt", "two"));
  const third = await store.put(caller, textFile("/a.txt", "two"));
  assert.deepEqual([first.version, second.version, third.version], [1, 2, 2]);
  assert.equal(second.id, first.id);
  assert.equal(await textOf(await store.open(caller, "/a.txt")), "two");
});

test("creates a file only where there is none", async () => {
  const { ctx: caller } = freshNamespace(files);
  const created = await store.create(caller, textFile("/empty", ""));
  assert.equal(created.size, 0);
  await assert.rejects(store.create(caller, textFile("/empty", "x")), withCode("CONFLICT"));
  assert.deepEqual(await store.describe(caller, "/empty"), created);
});

test("replaces only the version that the caller knows", async () => {
  const { ctx: caller } = freshNamespace(files);
  const { cid } = await store.create(caller, textFile("/a.json", "1"));
  const replaced = await store.replace(caller, { path: "/a.json", content: Buffer.from("2"), ifMatch: cid });
  assert.equal(replaced.version, 2);
  const stale = store.replace(caller, { path: "/a.json", content: Buffer.from("3"), ifMatch: cid });
  await assert.rejects(stale, withCode("PRECONDITION_FAILED"));
});

test("lists, moves and purges the files of a folder", async () => {
  const { ctx: caller } = freshNamespace(files);
  for (const name of ["a", "b"]) await store.create(caller, textFile(`/in/${name}`, name));
  const other = await store.create(caller, textFile("/out", "o"));
  await store.move(caller, { id: other.id, destinationPath: "/in/c" });
  const taken = store.move(caller, { id: other.id, destinationPath: "/in/a" });
  await assert.rejects(taken, withCode("CONFLICT"));
  const found = await store.list(caller, "/in", 10);
  assert.deepEqual(
    found.map(({ path }) => path),
    ["/in/a", "/in/b", "/in/c"],
  );
  assert.equal((await store.list(caller, "/in", 2)).length, 2);
  const before = await countTraces(files.deps);
  await store.purge(caller, [...found.map(({ id }) => id), other.id, "01ARZ3NDEKTSV4RRFFQ69G5FAV"]);
  assert.equal((await countTraces(files.deps)).blobs, before.blobs - 3);
  await assert.rejects(store.describe(caller, "/in/a"), withCode("NOT_FOUND"));
});

test("says which files it could not destroy", async () => {
  const { ctx: caller } = freshNamespace(files);
  const lost = await store.create(caller, textFile("/lost", "l"));
  const { rows } = await files.deps.db.execute<{ id: string; secret_id: string }>(
    sql`select g.id, g.secret_id from file_key_groups g join files f on f.key_group = g.id where f.id = ${lost.id}`,
  );
  const nameSecret = (secretId = "") =>
    files.deps.db.execute(sql`update file_key_groups set secret_id = ${secretId} where id = ${rows[0]?.id}`);
  await nameSecret("f".repeat(32));
  const purging = store.purge(caller, [lost.id, "01ARZ3NDEKTSV4RRFFQ69G5FAV"]);
  await assert.rejects(purging, (error) => {
    assert.ok(error instanceof AppError, String(error));
    assert.deepEqual([error.code, error.details.map(({ path }) => path)], ["CONFLICT", [lost.id]]);
    return true;
  });
  assert.equal((await store.describe(caller, "/lost")).id, lost.id);
  await nameSecret(rows[0]?.secret_id);
  await store.purge(caller, [lost.id]);
  await assert.rejects(store.describe(caller, "/lost"), withCode("NOT_FOUND"));
});

test("does nothing beyond the caller's token", async () => {
  const { ctx: owner, as } = freshNamespace(files);
  await store.create(owner, textFile("/secret/a", "s"));
  const reader = as({ abilities: ["fs/list", "fs/read"], path: "/open" });
  await assert.rejects(store.open(reader, "/secret/a"), withCode("NOT_FOUND"));
  await assert.rejects(store.put(reader, textFile("/open/a", "x")), withCode("FORBIDDEN"));
});

test("offers the tools that agents have at /mcp, each with what it does to files", async () => {
  const { ctx: caller } = freshNamespace(files);
  const byName = new Map(store.tools.map((tool) => [tool.name, tool]));
  assert.equal(byName.get("vfs_read")?.readOnly, true);
  assert.equal(byName.get("vfs_write")?.destructive, false);
  assert.equal(byName.get("vfs_delete")?.destructive, true);
  const written = await byName.get("vfs_write")?.call(caller, { path: "/a.md", content: "hello" });
  assert.equal(written?.version, 1);
  await assert.rejects(async () => byName.get("vfs_read")?.call(caller, { path: 1 }), withCode("INVALID_INPUT"));
});

test("lets the service use its folder in its namespace, and sign tokens that read parts of it", async () => {
  const { deps } = files;
  const { identity } = deps.files;
  const authority = openAuthority({ ...deps, identity, resolver: createDidResolver([didKeyMethod], Date.now) });
  const own = new ServiceAccess({ identity, authority, clock: deps.clock }, "/kept");
  assert.equal(own.owner, identity.keyDid);
  const caller = { access: await own.access() };
  assert.equal(await own.access(), caller.access);
  await store.create(caller, textFile("/kept/a", "a"));
  await assert.rejects(store.create(caller, textFile("/elsewhere", "b")), withCode("NOT_FOUND"));
  const { token, expiresAt } = await own.mintReader({ audience: identity.did, path: "/kept", seconds: 60 });
  assert.ok(expiresAt.getTime() <= deps.clock.now().getTime() + 60_000);
  const grant = await authority.verifyBearer(`Bearer ${token}`);
  assert.deepEqual([grant.owner, [...(grant.scopes[0]?.abilities ?? [])]], [identity.keyDid, ["fs/list", "fs/read"]]);
});
