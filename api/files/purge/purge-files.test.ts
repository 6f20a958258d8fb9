import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "drizzle-orm";
import { onEachDatabase } from "../../../test/support/files/databases.ts";
import { countTraces, streamOf, testContext, textOf } from "../../../test/support/files/files.ts";
import { AppError } from "../../platform/errors.ts";
import type { FileContext } from "../deps.ts";
import { openCid } from "../read/open-cid.ts";
import { openContent } from "../read/open-content.ts";
import { readFile } from "../read/read-file.ts";
import { readUsage } from "../read/read-usage.ts";
import { listVersions } from "../versions/list-versions.ts";
import { restoreVersion } from "../versions/restore-version.ts";
import { createFile } from "../write/create-file.ts";
import { writeFile } from "../write/write-file.ts";
import { finishPurges } from "./finish-purges.ts";
import { purgeFile, purgeFiles } from "./purge-files.ts";

const notFound = (error: unknown) => {
  assert.ok(error instanceof AppError, String(error));
  assert.deepEqual(
    [error.code, error.message, error.details, error.extra],
    ["NOT_FOUND", "There is no such file here.", [], undefined],
  );
  return true;
};
const make = (ctx: FileContext, path: string, text: string) =>
  createFile(ctx, { path, mimeType: "text/plain", content: streamOf(text) });
const trash = ({ deps }: FileContext, id: string) =>
  deps.db.execute(sql`update files set trashed_at = now() where id = ${id}`);

let owners = 0;
onEachDatabase((stores) => {
  const freshContext = () => testContext(stores.one, `did:key:zPurge${++owners}`);

  test("leaves of a purged file nothing but its receipt and its events, and starts again on the same path", async () => {
    const ctx = freshContext();
    const before = await countTraces(ctx.deps);
    const made = await make(ctx, "/a", "one");
    await writeFile(ctx, { ref: { id: made.id }, content: streamOf("two") });
    const { results, succeeded, failed } = await purgeFiles(ctx, { ids: [made.id] });
    assert.partialDeepStrictEqual(
      [results[0], succeeded, failed],
      [{ id: made.id, ok: true, status: 200, path: "/a" }, 1, 0],
    );
    const after = await countTraces(ctx.deps);
    assert.deepEqual(after, {
      ...before,
      events: before.events + 3,
      receipts: before.receipts + 1,
      secrets: after.secrets,
    });
    assert.ok(after.secrets <= before.secrets + 1);
    const payload = await ctx.deps.files.identity.verifyJws(results[0]?.receipt ?? "");
    assert.partialDeepStrictEqual(JSON.parse(Buffer.from(payload).toString()), { sub: made.id, versions: 2 });
    await assert.rejects(readFile(ctx, { ref: { id: made.id } }), notFound);
    await assert.rejects(openCid(ctx, { cid: made.cid }), notFound);
    assert.deepEqual(await readUsage(ctx), { bytes: 0, files: 0, versions: 0, quota: null });
    const again = await make(ctx, "/a", "one");
    assert.deepEqual([again.version, again.versionsRemaining], [1, 49]);
    assert.equal(await textOf(await openCid(ctx, { cid: made.cid })), "one", "a live file holds those bytes again");
  });

  test("purges a trashed file directly, and only what the caller may see", async () => {
    const ctx = freshContext();
    const seen = await make(ctx, "/docs/a", "a");
    const apart = await make(ctx, "/docs2/b", "b");
    const scoped = testContext(stores.one, ctx.access.grant.owner, { path: "/docs" });
    await trash(ctx, seen.id);
    const { results } = await purgeFiles(scoped, { ids: [seen.id, apart.id, "\0", seen.id] });
    assert.deepEqual(
      results.map(({ ok, status, error }) => [ok, status, error]),
      [
        [true, 200, undefined],
        [false, 404, "There is no such file here."],
        [false, 404, "There is no such file here."],
        [false, 404, "There is no such file here."],
      ],
    );
    const reader = testContext(stores.one, ctx.access.grant.owner, { abilities: ["fs/read", "fs/write"] });
    await assert.rejects(purgeFiles(reader, { ids: [apart.id] }), { code: "FORBIDDEN" });
  });

  test("gives the key group a new secret, under which every other file still opens and is found by CID", async () => {
    const ctx = freshContext();
    const gone = await make(ctx, "/gone", "gone");
    const kept = await make(ctx, "/kept", "first words");
    await writeFile(ctx, { ref: { id: kept.id }, content: streamOf("second words") });
    const groups = () =>
      ctx.deps.db.execute<{ secret_id: string }>(sql`
        select secret_id from file_key_groups where namespace = ${ctx.access.grant.owner}`);
    const tags = () =>
      ctx.deps.db.execute<{ tag: string }>(sql`
        select encode(cid_tag, 'hex') as tag from files where id = ${kept.id}
        union all select encode(cid_tag, 'hex') from file_versions where file_id = ${kept.id}`);
    const [secrets, oldTags] = [(await groups()).rows, (await tags()).rows];
    await purgeFiles(ctx, { ids: [gone.id] });
    const now = (await groups()).rows;
    assert.equal(now.length, 1);
    assert.notEqual(now[0]?.secret_id, secrets[0]?.secret_id);
    assert.equal(
      await ctx.deps.files.blobs.stat(`secrets/${secrets[0]?.secret_id}`),
      undefined,
      "the old one is destroyed",
    );
    const newTags = new Set((await tags()).rows.map(({ tag }) => tag));
    assert.ok(oldTags.every(({ tag }) => !newTags.has(tag)));
    for (const store of [stores.one, stores.two]) {
      const reader = testContext(store, ctx.access.grant.owner);
      assert.equal(await textOf(await openContent(reader, { ref: { path: "/kept" } })), "second words");
      assert.equal(await textOf(await openCid(reader, { cid: kept.cid })), "first words");
    }
    assert.equal((await writeFile(ctx, { ref: { id: kept.id }, content: streamOf("third") })).file.version, 3);
  });

  test("hides a trashed file's history and CIDs, and shows both untouched when it is back", async () => {
    const ctx = freshContext();
    const made = await make(ctx, "/t", "one");
    await writeFile(ctx, { ref: { id: made.id }, content: streamOf("two") });
    const list = await listVersions(ctx, { ref: { id: made.id } });
    await trash(ctx, made.id);
    await assert.rejects(listVersions(ctx, { ref: { id: made.id } }), notFound);
    await assert.rejects(openContent(ctx, { ref: { id: made.id }, version: 1 }), notFound);
    await assert.rejects(restoreVersion(ctx, { ref: { id: made.id }, version: 1 }), notFound);
    await assert.rejects(openCid(ctx, { cid: made.cid }), notFound);
    await ctx.deps.db.execute(sql`update files set trashed_at = null where id = ${made.id}`);
    assert.deepEqual(await listVersions(ctx, { ref: { id: made.id } }), list);
    assert.equal(await textOf(await openCid(ctx, { cid: made.cid })), "one");
  });

  test("purges once when many callers race, from two servers", async () => {
    const ctx = freshContext();
    const made = await make(ctx, "/race", "x");
    const before = await countTraces(ctx.deps);
    const other = testContext(stores.two, ctx.access.grant.owner);
    const answers = await Promise.all([ctx, other, ctx, other].map((each) => purgeFiles(each, { ids: [made.id] })));
    assert.equal(
      answers.reduce((sum, { succeeded }) => sum + succeeded, 0),
      1,
    );
    const after = await countTraces(ctx.deps);
    assert.deepEqual(
      [after.events, after.receipts, after.blobs],
      [before.events + 1, before.receipts + 1, before.blobs - 1],
    );
  });

  test("lets restores and writes that race a purge leave no trace", async () => {
    const ctx = freshContext();
    const other = testContext(stores.two, ctx.access.grant.owner);
    for (let round = 0; round < 8; round++) {
      const before = await countTraces(ctx.deps);
      const made = await make(ctx, `/race${round}`, "one");
      await writeFile(ctx, { ref: { id: made.id }, content: streamOf("two") });
      const ref = { id: made.id };
      const outcomes = await Promise.allSettled([
        restoreVersion(ctx, { ref, version: 1 }),
        purgeFiles(other, { ids: [made.id] }),
        writeFile(other, { ref, content: streamOf("three") }),
      ]);
      assert.equal(outcomes[1]?.status, "fulfilled");
      const written = [outcomes[0], outcomes[2]].filter((each) => each?.status === "fulfilled").length;
      for (const each of outcomes) {
        if (each.status === "rejected") assert.match(each.reason.code, /^(NOT_FOUND|WRITE_CONFLICT)$/);
      }
      const after = await countTraces(ctx.deps);
      const { blobs, files, history, events, receipts } = before;
      assert.deepEqual(
        [after.blobs, after.files, after.history, after.events, after.receipts],
        [blobs, files, history, events + 3 + written, receipts + 1],
      );
    }
  });

  test("lets a write and a new file arrive while a purge changes the secret of their key group", async () => {
    const ctx = freshContext();
    const gone = [await make(ctx, "/gone0", "0"), await make(ctx, "/gone1", "1")];
    const kept = await make(ctx, "/kept", "first");
    const purging = (text: string, id: string | undefined) =>
      (async function* () {
        yield Buffer.from(text);
        await purgeFiles(ctx, { ids: [id ?? ""] });
      })();
    const content = purging("second", gone[0]?.id);
    const { file } = await writeFile(ctx, { ref: { id: kept.id }, content });
    const fresh = { path: "/fresh", mimeType: "text/plain", content: purging("fresh", gone[1]?.id) };
    const made = await createFile(ctx, fresh);
    for (const [id, text] of [
      [file.id, "second"],
      [made.id, "fresh"],
    ] as const) {
      assert.equal(await textOf(await openContent(ctx, { ref: { id } })), text);
    }
    for (const { cid } of [file, made, kept]) assert.ok(await openCid(ctx, { cid }));
  });

  test("finishes a purge that a stop interrupted after its commit", async () => {
    const ctx = freshContext();
    const made = await make(ctx, "/cut", "x");
    const before = await countTraces(ctx.deps);
    const cut = {
      ...ctx.deps,
      files: {
        ...ctx.deps.files,
        step: (name: string) => {
          if (name === "purge-committed") throw new Error("killed here");
        },
      },
    };
    await assert.rejects(purgeFiles({ ...ctx, deps: cut }, { ids: [made.id] }), /killed here/);
    assert.equal((await countTraces(ctx.deps)).blobs, before.blobs);
    await finishPurges(ctx.deps);
    const after = await countTraces(ctx.deps);
    assert.deepEqual([after.blobs, after.secrets], [before.blobs - 1, before.secrets]);
  });

  test("answers that a purge holds when the medium fails after its commit, and destroys the rest later", async () => {
    const ctx = freshContext();
    const [one, other] = [await make(ctx, "/held", "x"), await make(ctx, "/held-too", "y")];
    const { blobs } = ctx.deps.files;
    const before = await countTraces(ctx.deps);
    Object.defineProperty(blobs, "shred", {
      configurable: true,
      value: () => Promise.reject(new Error("the medium does not answer")),
    });
    try {
      const { results, failed } = await purgeFiles(ctx, { ids: [one.id] });
      assert.partialDeepStrictEqual([results[0], failed], [{ id: one.id, ok: true, status: 202, pending: true }, 0]);
      const single = await purgeFile(ctx, { id: other.id });
      assert.deepEqual([single.pending, single.receipt.startsWith("ey")], [true, true]);
    } finally {
      Reflect.deleteProperty(blobs, "shred");
    }
    await assert.rejects(readFile(ctx, { ref: { id: one.id } }), notFound);
    await finishPurges(ctx.deps);
    const after = await countTraces(ctx.deps);
    assert.deepEqual([after.blobs, after.secrets], [before.blobs - 2, before.secrets]);
    assert.equal((await purgeFile(ctx, { id: (await make(ctx, "/again", "z")).id })).pending, undefined);
  });
});
