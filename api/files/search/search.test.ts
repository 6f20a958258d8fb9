import assert from "node:assert/strict";
import { test } from "node:test";
import { insertFolderMarks } from "../../../test/support/file-rows.ts";
import { onEachDatabase } from "../../../test/support/files/databases.ts";
import { allHidden, freshNamespace, streamOf } from "../../../test/support/files/files.ts";
import { AppError, type ErrorCode } from "../../platform/errors.ts";
import type { FileContext } from "../deps.ts";
import { purgeFiles } from "../purge/purge-files.ts";
import { listFiles } from "../tree/list-files.ts";
import { moveFiles } from "../tree/moving/move-files.ts";
import { trashFile } from "../tree/moving/trash-files.ts";
import { readTree } from "../tree/read-tree.ts";
import { walkFiles } from "../tree/walk-files.ts";
import { createFile } from "../write/create-file.ts";
import { writeFile } from "../write/write-file.ts";
import { globFiles } from "./glob/glob-files.ts";
import { grepFiles } from "./grep/grep-files.ts";
import { searchFiles } from "./search-files.ts";

const refusedWith = (code: ErrorCode) => (error: unknown) => error instanceof AppError && error.code === code;

onEachDatabase((stores) => {
  const world = () => freshNamespace(stores.one);
  const put = (ctx: FileContext, path: string, text: string | Uint8Array = path, mimeType = "text/plain") =>
    createFile(ctx, { path, mimeType, content: streamOf(text) });
  /** Every item of a list, read by pages of this size. */
  async function allOf<T>(list: (cursor?: string) => Promise<{ items: T[]; nextCursor: string | null }>) {
    const items: T[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await list(cursor);
      items.push(...page.items);
      if (page.nextCursor === null) return items;
      cursor = page.nextCursor;
    }
  }

  test("lists files page by page with their metadata, and only what the token shows", async () => {
    const { ctx, as, all } = world();
    for (const path of ["/a", "/b/x", "/b/y", "/b2/z", "/c"]) await put(ctx, path);
    await put(all, "/b/.env");
    const pages = (caller: FileContext, path = "/") =>
      allOf((cursor) => listFiles(caller, { path, limit: 2, cursor })).then((items) => items.map((file) => file.path));
    assert.deepEqual(await pages(ctx), ["/a", "/b/x", "/b/y", "/b2/z", "/c"]);
    assert.deepEqual(await pages(as({ path: "/b" })), ["/b/x", "/b/y"]);
    assert.deepEqual(await pages(as({ path: "/b", hidden: allHidden }, { path: "/c" })), [
      "/b/.env",
      "/b/x",
      "/b/y",
      "/c",
    ]);
    assert.deepEqual(await pages(ctx, "/b"), ["/b/x", "/b/y"]);
    assert.deepEqual(await pages(ctx, "/b/y"), ["/b/y"]);
    assert.deepEqual(await pages(as({ path: "/b" }), "/c"), []);
    const [first] = (await listFiles(ctx)).items;
    assert.deepEqual([first?.name, first?.mimeType, first?.size, first?.version], ["a", "text/plain", 2, 1]);
    assert.match(first?.cid ?? "", /^bafkrei/);
    await assert.rejects(listFiles(ctx, { cursor: "x" }), refusedWith("INVALID_INPUT"));
    await assert.rejects(listFiles(ctx, { limit: 501 }), refusedWith("INVALID_INPUT"));
  });

  test("gives no cursor that names a hidden folder", async () => {
    const { ctx, owner, all } = world();
    for (let i = 0; i < 4; i++) await put(all, `/secret-plans/${i}`);
    await put(ctx, "/a");
    await put(ctx, "/z");
    await insertFolderMarks(stores.one.deps.db, [{ namespace: owner, path: "/secret-plans", hidden: true }]);
    for (const list of [listFiles, readTree]) {
      for (let cursor: string | undefined; ; ) {
        const page: { nextCursor: string | null } = await list(ctx, { limit: 1, ...(cursor ? { cursor } : {}) });
        if (page.nextCursor === null) break;
        cursor = page.nextCursor;
        assert.ok(!Buffer.from(cursor, "base64url").includes("secret"));
      }
    }
  });

  test("shows the children of a folder, with counts of what is below", async () => {
    const { ctx, as, all, owner } = world();
    for (const path of ["/a", "/b/x", "/b/deep/er/y", "/b-c", "/d/.hidden"]) await put(all, path);
    await insertFolderMarks(stores.one.deps.db, [{ namespace: owner, path: "/b/deep", hidden: true }]);
    const brief = async (caller: FileContext, path = "/") =>
      (await allOf((cursor) => readTree(caller, { path, limit: 2, cursor }))).map((entry) =>
        entry.kind === "file" ? entry.path : [entry.path, entry.files, entry.hiddenEffective],
      );
    assert.deepEqual(await brief(ctx), ["/a", "/b-c", ["/b", 1, false]]);
    assert.deepEqual(await brief(all), ["/a", "/b-c", ["/b", 2, false], ["/d", 1, false]]);
    assert.deepEqual(await brief(all, "/b"), [["/b/deep", 1, true], "/b/x"]);
    assert.deepEqual(await brief(as({ path: "/b" })), [["/b", 1, false]]);
    assert.deepEqual(await brief(as({ path: "/new" }), "/new"), []);
    for (const path of ["/nowhere", "/d", "/b/deep", "/a"]) {
      await assert.rejects(readTree(ctx, { path }), refusedWith("NOT_FOUND"), path);
    }
    await assert.rejects(readTree(as({ path: "/b" }), { path: "/d" }), refusedWith("NOT_FOUND"));
  });

  test("matches globs within the caller's sight", async () => {
    const { ctx, as, all } = world();
    for (const path of ["/a.md", "/b/a.md", "/b/c/a.md", "/b/c/.x.md", "/b/a.txt"]) await put(all, path);
    const glob = async (caller: FileContext, pattern: string) =>
      (await allOf((cursor) => globFiles(caller, { pattern, limit: 1, cursor }))).map(({ path }) => path);
    assert.deepEqual(await glob(ctx, "*.md"), ["/a.md"]);
    assert.deepEqual(await glob(ctx, "/**/*.md"), ["/a.md", "/b/a.md", "/b/c/a.md"]);
    assert.deepEqual(await glob(all, "/b/c/*"), ["/b/c/.x.md", "/b/c/a.md"]);
    assert.deepEqual(await glob(ctx, "/b/*.{md,txt}"), ["/b/a.md", "/b/a.txt"]);
    assert.deepEqual(await glob(as({ path: "/b/c" }), "/**"), ["/b/c/a.md"]);
    assert.deepEqual(await glob(ctx, "/b/a.md"), ["/b/a.md"]);
  });

  test("walks all files below a folder for the zip", async () => {
    const { ctx, all } = world();
    for (let i = 0; i < 5; i++) await put(all, `/w/${i % 2 ? "." : ""}${i}`);
    const seen: string[] = [];
    for await (const { path } of walkFiles(ctx, { path: "/w" })) seen.push(path);
    assert.deepEqual(seen, ["/w/0", "/w/2", "/w/4"]);
  });

  test("finds files that have all the words, in whatever form, with the lines that show them", async () => {
    const { ctx } = world();
    await put(ctx, "/one", "first line\nThe Café sells stoves.\n");
    await put(ctx, "/two", "stoves only");
    await put(ctx, "/binary", Uint8Array.from([0, ...Buffer.from("cafe stoves")]), "application/octet-stream");
    const { items, nextCursor } = await searchFiles(ctx, { q: "CAFE stoves" });
    assert.equal(nextCursor, null);
    assert.deepEqual(
      items.map(({ file, snippets }) => [file.path, snippets]),
      [["/one", [{ line: 2, text: "The Café sells stoves." }]]],
    );
    const both = await allOf((cursor) => searchFiles(ctx, { q: "stoves", limit: 1, cursor }));
    assert.deepEqual(both.map(({ file }) => file.path).sort(), ["/one", "/two"]);
    assert.deepEqual((await searchFiles(ctx, { q: "stoves", path: "/two" })).items.length, 1);
    assert.deepEqual((await searchFiles(ctx, { q: "stove" })).items, []);
    for (const q of ["...", "x".repeat(513), Array.from({ length: 17 }, (_, i) => `w${i}`).join(" ")]) {
      await assert.rejects(searchFiles(ctx, { q }), refusedWith("INVALID_INPUT"));
    }
  });

  test("searches the heads of live files that the caller may read, as they are now", async () => {
    const { ctx, as, all } = world();
    const { id } = await put(ctx, "/docs/a", "alpha");
    await put(all, "/docs/.b", "alpha");
    await put(ctx, "/docs2/c", "alpha");
    const search = async (caller: FileContext, q: string) =>
      (await searchFiles(caller, { q })).items.map(({ file }) => file.path).sort();
    assert.deepEqual(await search(ctx, "alpha"), ["/docs/a", "/docs2/c"]);
    assert.deepEqual(await search(all, "alpha"), ["/docs/.b", "/docs/a", "/docs2/c"]);
    assert.deepEqual(await search(as({ path: "/docs" }), "alpha"), ["/docs/a"]);
    await assert.rejects(search(as({ abilities: ["fs/list"] }), "alpha"), refusedWith("FORBIDDEN"));
    await writeFile(ctx, { ref: { id }, content: streamOf("beta") });
    assert.deepEqual([await search(ctx, "alpha"), await search(ctx, "beta")], [["/docs2/c"], ["/docs/a"]]);
    await moveFiles(ctx, { items: [{ id, destinationPath: "/docs3/a" }] });
    assert.deepEqual(await search(as({ path: "/docs" }), "beta"), []);
    await trashFile(ctx, { id });
    assert.deepEqual(await search(ctx, "beta"), []);
  });

  test("still finds the words of files whose key group got a new secret by a purge", async () => {
    const { ctx } = world();
    await put(ctx, "/stays", "gamma delta");
    const { id } = await put(ctx, "/goes", "gamma epsilon");
    await purgeFiles(ctx, { ids: [id] });
    const paths = async (q: string) => (await searchFiles(ctx, { q })).items.map(({ file }) => file.path);
    assert.deepEqual([await paths("gamma"), await paths("epsilon")], [["/stays"], []]);
  });

  test("finds lines by text or by RE2 expression, with their numbers, page by page within a file", async () => {
    const { ctx, all } = world();
    await put(ctx, "/a/log", "one\r\ntwo a.b\nthree axb\n\nTwo again");
    await put(ctx, "/a/raw", Uint8Array.from([...Buffer.from("two\n"), 0, 1]), "application/octet-stream");
    await put(ctx, "/b/log", "two");
    await put(all, "/a/.log", "two");
    const grep = async (input: Omit<Parameters<typeof grepFiles>[1], "limit">) =>
      (await allOf((cursor) => grepFiles(ctx, { ...input, limit: 1, cursor }))).map(({ path, line, text }) => [
        path,
        line,
        text,
      ]);
    assert.deepEqual(await grep({ q: "two" }), [
      ["/a/log", 2, "two a.b"],
      ["/b/log", 1, "two"],
    ]);
    assert.deepEqual(await grep({ q: "two", ignoreCase: true, path: "/a" }), [
      ["/a/log", 2, "two a.b"],
      ["/a/log", 5, "Two again"],
    ]);
    assert.deepEqual(await grep({ q: "a.b" }), [["/a/log", 2, "two a.b"]]);
    assert.deepEqual(await grep({ q: "a.b$", regex: true }), [
      ["/a/log", 2, "two a.b"],
      ["/a/log", 3, "three axb"],
    ]);
    assert.deepEqual(await grep({ q: "two", glob: "/b/**" }), [["/b/log", 1, "two"]]);
    for (const q of ["(", "(a)\\1", "a{1001}", "(a|aa|b){300}c", "a\nb", ""]) {
      await assert.rejects(grepFiles(ctx, { q, regex: true }), refusedWith("INVALID_INPUT"), q);
    }
  });

  test("reads a large file over several pages of grep and misses no line", async () => {
    const { ctx } = world();
    const line = `${"x".repeat(99)}\n`;
    const text = Array.from({ length: 20 }, (_, part) => `${line.repeat(20_000)}needle ${part}\n`).join("");
    await put(ctx, "/large", text);
    const found = await allOf((cursor) => grepFiles(ctx, { q: "needle", cursor }));
    assert.deepEqual(
      found.map(({ line, text }) => [line, text]),
      Array.from({ length: 20 }, (_, part) => [20_001 * (part + 1), `needle ${part}`]),
    );
  });
});
