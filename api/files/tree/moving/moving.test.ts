import assert from "node:assert/strict";
import { test } from "node:test";
import { eq, sql } from "drizzle-orm";
import { onEachDatabase } from "../../../../test/support/files/databases.ts";
import { allHidden, freshNamespace, streamOf } from "../../../../test/support/files/files.ts";
import { AppError, type ErrorCode } from "../../../platform/errors.ts";
import type { FileContext } from "../../deps.ts";
import { purgeFiles } from "../../purge/purge-files.ts";
import { openContent } from "../../read/open-content.ts";
import { readFile } from "../../read/read-file.ts";
import { files } from "../../records/tables.ts";
import { listVersions } from "../../versions/list-versions.ts";
import { createFile } from "../../write/create-file.ts";
import { writeFile } from "../../write/write-file.ts";
import { listFiles, listTrash } from "../list-files.ts";
import { setFileHidden, setFilePublic } from "../marks/mark-file.ts";
import { setFolderHidden, setFolderPublic } from "../marks/mark-folder.ts";
import { moveFiles } from "./move-files.ts";
import { restoreFile, restoreFiles, trashFile, trashFiles } from "./trash-files.ts";

const refusedWith = (code: ErrorCode) => (error: unknown) => error instanceof AppError && error.code === code;

onEachDatabase((stores) => {
  const world = () => freshNamespace(stores.one);
  const put = (ctx: FileContext, path: string, text = path) =>
    createFile(ctx, { path, mimeType: "text/plain", content: streamOf(text) });
  const move = async (ctx: FileContext, id: string, destinationPath: string, version?: number) => {
    const { results } = await moveFiles(ctx, { items: [{ id, destinationPath, version }] });
    assert.ok(results[0]);
    return results[0];
  };
  const eventKinds = async (owner: string) => {
    const { rows } = await stores.one.deps.db.execute<{ kind: string }>(
      sql`select kind from file_events where namespace = ${owner} order by sequence`,
    );
    return rows.map(({ kind }) => kind);
  };
  const pathsOf = async (ctx: FileContext, path = "/") =>
    (await listFiles(ctx, { path })).items.map((file) => file.path);

  test("moves a file with its history, and lists the head under the counter that went up", async () => {
    const { ctx, owner } = world();
    const { id } = await put(ctx, "/a", "one");
    await writeFile(ctx, { ref: { id }, content: streamOf("two") });
    const moved = await move(ctx, id, "/b/c", 2);
    assert.deepEqual(moved, { id, ok: true, status: 200, path: "/b/c" });
    const { versions } = await listVersions(ctx, { ref: { path: "/b/c" } });
    assert.deepEqual(
      versions.map(({ version, path, current }) => [version, path, current]),
      [
        [3, "/b/c", true],
        [1, "/b/c", false],
      ],
    );
    assert.equal((await openContent(ctx, { ref: { id }, version: 1 })).size, 3);
    await assert.rejects(readFile(ctx, { ref: { path: "/a" } }), refusedWith("NOT_FOUND"));
    assert.deepEqual(await eventKinds(owner), ["file.created", "content.written", "moved"]);
  });

  test("moves the items of a batch one after another, and returns the result of each", async () => {
    const { ctx, owner } = world();
    const [a, b] = [await put(ctx, "/a"), await put(ctx, "/b")];
    const { results, succeeded, failed } = await moveFiles(ctx, {
      items: [
        { id: a.id, destinationPath: "/b" },
        { id: a.id, destinationPath: "/x", version: 7 },
        { id: a.id, destinationPath: "no/../path" },
        { id: "01HZZZZZZZZZZZZZZZZZZZZZZZ", destinationPath: "/x" },
        { id: a.id, destinationPath: "/x", version: 1 },
        { id: b.id, destinationPath: "/a" },
        { id: a.id, destinationPath: "/y", version: 1 },
        { id: b.id, destinationPath: "/a", version: 2 },
      ],
    });
    assert.deepEqual(
      results.map(({ status, code, path }) => [status, code ?? path]),
      [
        [409, "CONFLICT"],
        [409, "STALE_MOVE"],
        [400, "INVALID_INPUT"],
        [404, "NOT_FOUND"],
        [200, "/x"],
        [200, "/a"],
        [409, "STALE_MOVE"],
        [200, "/a"],
      ],
    );
    assert.deepEqual([succeeded, failed], [3, 5]);
    assert.deepEqual(await pathsOf(ctx), ["/a", "/x"]);
    // The last move went nowhere: it leaves no event and no number.
    assert.deepEqual(await eventKinds(owner), ["file.created", "file.created", "moved", "moved"]);
    assert.equal((await readFile(ctx, { ref: { id: b.id } })).version, 2);
  });

  test("swaps, chains and circles files within one batch, as one move after the other would", async () => {
    const { ctx } = world();
    const made = await Promise.all(["/a", "/b", "/c"].map((path) => put(ctx, path)));
    const [a, b, c] = made.map(({ id }) => id) as [string, string, string];
    const steps: [string, string][] = [
      [a, "/tmp"],
      [b, "/a"],
      [a, "/b"],
      [c, "/d"],
      [b, "/c"],
      [c, "/a"],
      [a, "/b2"],
      [a, "/b"],
    ];
    const items = steps.map(([id, destinationPath]) => ({ id, destinationPath }));
    assert.equal((await moveFiles(ctx, { items })).failed, 0);
    const at = async (path: string) => {
      const { id, version } = await readFile(ctx, { ref: { path } });
      return [id, version];
    };
    assert.deepEqual(
      [await at("/a"), await at("/b"), await at("/c")],
      [
        [c, 3],
        [a, 5],
        [b, 3],
      ],
    );
    const { results } = await trashFiles(ctx, { ids: [a, b, a] });
    assert.deepEqual(
      results.map(({ ok }) => ok),
      [true, true, false],
    );
    await put(ctx, "/b");
    assert.deepEqual(
      (await restoreFiles(ctx, { ids: [a, b, b] })).results.map(({ code }) => code ?? "ok"),
      ["CONFLICT", "ok", "NOT_FOUND"],
    );
  });

  test("refuses a batch that is empty or has more than 1000 items", async () => {
    const { ctx } = world();
    await assert.rejects(moveFiles(ctx, { items: [] }), refusedWith("INVALID_INPUT"));
    const ids = Array.from({ length: 1_001 }, (_, index) => String(index));
    await assert.rejects(trashFiles(ctx, { ids }), refusedWith("INVALID_INPUT"));
    assert.equal((await trashFiles(ctx, { ids: ids.slice(1) })).failed, 1_000);
  });

  test("answers 404 for a destination out of scope or hidden from the mover, taken or not", async () => {
    const { ctx, as } = world();
    const { id } = await put(ctx, "/docs/a");
    await put(ctx, "/docs2/taken");
    await put(as({ hidden: allHidden }), "/docs/.env");
    await put(ctx, "/docs/unseen").then((file) => setFileHidden(ctx, { ref: { id: file.id }, hidden: true }));
    await setFolderHidden(ctx, { path: "/docs/inner", hidden: true });
    const scoped = as({ path: "/docs" });
    for (const path of ["/docs2/a", "/docs2/taken", "/docs/.b", "/docs/.env", "/docs/unseen", "/docs/inner/a"]) {
      assert.equal((await move(scoped, id, path)).code, "NOT_FOUND", path);
    }
    const revealed = as({ path: "/docs", hidden: { all: false, paths: ["/docs/inner"], cids: new Set() } });
    assert.equal((await move(revealed, id, "/docs/.b")).code, "NOT_FOUND");
    assert.equal((await move(revealed, id, "/docs/inner/a")).ok, true);
    await assert.rejects(readFile(scoped, { ref: { id } }), refusedWith("NOT_FOUND"));
  });

  test("needs the abilities: write to move and mark, delete to trash, restore and nothing else", async () => {
    const { ctx, as } = world();
    const { id } = await put(ctx, "/a");
    const reader = as({ abilities: ["fs/list", "fs/read"] });
    const writer = as({ abilities: ["fs/list", "fs/read", "fs/write"] });
    const deleter = as({ abilities: ["fs/list", "fs/read", "fs/delete"] });
    const bound = as({ cids: new Set(["1220"]) });
    for (const caller of [reader, deleter, bound]) {
      const refused = (promise: Promise<unknown>) => assert.rejects(promise, refusedWith("FORBIDDEN"));
      await refused(moveFiles(caller, { items: [{ id, destinationPath: "/b" }] }));
      await refused(setFileHidden(caller, { ref: { id }, hidden: true }));
      await refused(setFilePublic(caller, { ref: { id }, public: true }));
      await refused(setFolderHidden(caller, { path: "/", hidden: true }));
      await refused(setFolderPublic(caller, { path: "/", public: true }));
    }
    for (const caller of [reader, writer, bound]) {
      await assert.rejects(trashFiles(caller, { ids: [id] }), refusedWith("FORBIDDEN"));
      await assert.rejects(restoreFiles(caller, { ids: [id] }), refusedWith("FORBIDDEN"));
    }
    await assert.rejects(listTrash(bound), refusedWith("FORBIDDEN"));
    await assert.rejects(listFiles(bound), refusedWith("FORBIDDEN"));
    assert.equal((await trashFiles(deleter, { ids: [id] })).succeeded, 1);
  });

  test("trashes a file with its history, frees its path, and gives all of it back with the same numbers", async () => {
    const { ctx, owner } = world();
    const { id } = await put(ctx, "/a", "one");
    await writeFile(ctx, { ref: { id }, content: streamOf("two") });
    const history = await listVersions(ctx, { ref: { id } });
    const trashed = await trashFile(ctx, { path: "/a" });
    assert.ok(trashed.trashedAt !== undefined);
    await assert.rejects(listVersions(ctx, { ref: { id } }), refusedWith("NOT_FOUND"));
    await assert.rejects(openContent(ctx, { ref: { id }, version: 1 }), refusedWith("NOT_FOUND"));
    assert.deepEqual(
      (await listTrash(ctx)).items.map((file) => file.id),
      [id],
    );
    assert.equal((await trashFiles(ctx, { ids: [id] })).results[0]?.code, "NOT_FOUND");
    const other = await put(ctx, "/a", "three");
    assert.equal((await restoreFiles(ctx, { ids: [id] })).results[0]?.code, "CONFLICT");
    await move(ctx, other.id, "/b");
    assert.equal((await restoreFile(ctx, { path: "/a" })).version, 2);
    assert.deepEqual(await listVersions(ctx, { ref: { id } }), history);
    assert.equal((await restoreFiles(ctx, { ids: [id] })).results[0]?.code, "NOT_FOUND");
    assert.deepEqual((await eventKinds(owner)).slice(2), ["trashed", "file.created", "moved", "restored"]);
  });

  test("keeps several trashed files of one path apart, and restores the last one by path", async () => {
    const { ctx, as } = world();
    const ids: string[] = [];
    for (const text of ["one", "two"]) {
      const { id } = await put(ctx, "/a/b", text);
      await trashFile(ctx, { id });
      ids.push(id);
    }
    const { items } = await listTrash(ctx, { path: "/a" });
    assert.deepEqual(new Set(items.map(({ id }) => id)), new Set(ids));
    assert.deepEqual((await listTrash(as({ path: "/c" }))).items, []);
    assert.equal((await restoreFile(ctx, { path: "/a/b" })).id, ids[1]);
    await assert.rejects(restoreFile(ctx, { path: "/a/b" }), refusedWith("CONFLICT"));
    await setFolderHidden(ctx, { path: "/a", hidden: true });
    assert.deepEqual((await listTrash(ctx)).items, []);
    await assert.rejects(restoreFile(ctx, { id: ids[0] as string }), refusedWith("NOT_FOUND"));
  });

  test("hides a file immediately, history too, from tokens without reveal, and counts up only when that changes it", async () => {
    const { ctx, as, owner } = world();
    const { id } = await put(ctx, "/a", "one");
    const hidden = await setFileHidden(ctx, { ref: { id }, hidden: true });
    assert.deepEqual([hidden.hidden, hidden.hiddenEffective, hidden.version], [true, true, 2]);
    await assert.rejects(readFile(ctx, { ref: { id } }), refusedWith("NOT_FOUND"));
    await assert.rejects(listVersions(ctx, { ref: { id } }), refusedWith("NOT_FOUND"));
    await assert.rejects(setFileHidden(ctx, { ref: { id }, hidden: false }), refusedWith("NOT_FOUND"));
    const revealed = as({ hidden: allHidden });
    assert.equal((await setFileHidden(revealed, { ref: { id }, hidden: true })).version, 2);
    assert.equal((await setFileHidden(revealed, { ref: { id }, hidden: false })).version, 3);
    assert.deepEqual(await pathsOf(ctx), ["/a"]);
    await assert.rejects(setFileHidden(ctx, { ref: { id }, hidden: "yes" as never }), refusedWith("INVALID_INPUT"));
    assert.deepEqual(await eventKinds(owner), ["file.created", "hidden.changed", "hidden.changed"]);
  });

  test("hides and publishes the files below a folder, but publishes nothing hidden", async () => {
    const { ctx, as, owner } = world();
    const revealed = as({ hidden: allHidden });
    await put(ctx, "/site/index");
    await put(revealed, "/site/.env");
    await put(ctx, "/site2/index");
    await setFolderPublic(ctx, { path: "/site", public: true });
    const open = async () => (await listFiles(revealed)).items.filter((file) => file.public).map((file) => file.path);
    assert.deepEqual(await open(), ["/site/index"]);
    await setFolderHidden(ctx, { path: "/site", hidden: true });
    assert.deepEqual(await open(), []);
    assert.deepEqual(await pathsOf(ctx), ["/site2/index"]);
    await assert.rejects(setFolderHidden(ctx, { path: "/site", hidden: false }), refusedWith("NOT_FOUND"));
    const marks = await setFolderHidden(revealed, { path: "/site", hidden: false });
    assert.deepEqual(marks, { path: "/site", hidden: false, hiddenEffective: false, public: true });
    await setFolderHidden(revealed, { path: "/site", hidden: false });
    assert.deepEqual(await open(), ["/site/index"]);
    const kinds = (await eventKinds(owner)).filter((kind) => kind.endsWith("changed"));
    assert.deepEqual(kinds, ["public.changed", "hidden.changed", "hidden.changed"]);
    await assert.rejects(setFolderHidden(as({ path: "/site" }), { path: "/", hidden: true }), refusedWith("NOT_FOUND"));
  });

  test("lets one of two racing moves, trashes and purges win, and notes nothing of the loser", async () => {
    const { ctx, owner } = world();
    const { id } = await put(ctx, "/a");
    const moves = await Promise.all(["/b", "/c", "/d"].map((path) => move(ctx, id, path, 1)));
    assert.deepEqual(moves.map(({ code }) => code ?? "ok").sort(), ["STALE_MOVE", "STALE_MOVE", "ok"]);
    const trashed = await Promise.all([1, 2, 3].map(() => trashFiles(ctx, { ids: [id] })));
    assert.equal(trashed.filter(({ succeeded }) => succeeded === 1).length, 1);
    const restored = await Promise.all([1, 2, 3].map(() => restoreFiles(ctx, { ids: [id] })));
    assert.equal(restored.filter(({ succeeded }) => succeeded === 1).length, 1);
    const [, late] = await Promise.all([purgeFiles(ctx, { ids: [id] }), trashFiles(ctx, { ids: [id] })]);
    const kinds = await eventKinds(owner);
    const expected = ["file.created", "moved", "trashed", "restored", ...(late.succeeded ? ["trashed"] : []), "purged"];
    assert.deepEqual(kinds, expected);
    assert.equal((await stores.one.deps.db.select().from(files).where(eq(files.id, id))).length, 0);
  });

  test("lets many names meet at one path: one gets it", async () => {
    const { ctx } = world();
    const made = await Promise.all([1, 2, 3, 4].map((n) => put(ctx, `/from-${n}`)));
    const moves = await Promise.all(made.map(({ id }) => move(ctx, id, "/to")));
    assert.deepEqual(moves.map(({ code }) => code ?? "ok").sort(), ["CONFLICT", "CONFLICT", "CONFLICT", "ok"]);
  });
});
