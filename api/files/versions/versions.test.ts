import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "drizzle-orm";
import { onEachDatabase } from "../../../test/support/files/databases.ts";
import { countTraces, streamOf, testContext, textOf } from "../../../test/support/files/files.ts";
import { AppError } from "../../platform/errors.ts";
import type { FileContext } from "../deps.ts";
import { openContent } from "../read/open-content.ts";
import { readFile } from "../read/read-file.ts";
import { readUsage } from "../read/read-usage.ts";
import { createFile } from "../write/create-file.ts";
import { writeFile } from "../write/write-file.ts";
import { labelVersion } from "./label-version.ts";
import { listVersions } from "./list-versions.ts";
import { pruneVersions } from "./prune-versions.ts";
import { restoreVersion } from "./restore-version.ts";

const helloCid = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";
let names = 0;
const make = (ctx: FileContext, text = "hello world") =>
  createFile(ctx, { path: `/v/${++names}.txt`, mimeType: "text/plain", content: streamOf(text) });
const refused =
  (code: string, body: Record<string, unknown> = {}) =>
  (error: unknown) => {
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.code, code);
    assert.partialDeepStrictEqual({ message: error.message, ...error.extra }, body);
    return true;
  };
/** What a move does to the counter. */
const bump = ({ deps }: FileContext, id: string) =>
  deps.db.execute(sql`update files set version = version + 1, path = path || '.moved' where id = ${id}`);

onEachDatabase((stores) => {
  test("keeps every version, and restores one as a new head with the same CID", async () => {
    const ctx = testContext(stores.one);
    const made = await make(ctx);
    assert.equal(made.cid, helloCid);
    const ref = { id: made.id };
    const second = await writeFile(ctx, { ref, content: streamOf("second") });
    assert.deepEqual([second.changed, second.file.version, second.file.versionsRemaining], [true, 2, 48]);
    const { file } = await restoreVersion(ctx, { ref, version: 1 });
    assert.deepEqual([file.version, file.cid, file.metadata], [3, made.cid, { revertedTo: 1 }]);
    assert.deepEqual(await readFile(ctx, { ref }), file);
    for (const [version, text] of [
      [1, "hello world"],
      [2, "second"],
      [3, "hello world"],
    ] as const) {
      assert.equal(await textOf(await openContent(ctx, { ref, version })), text);
    }
    const third = await writeFile(ctx, { ref, content: streamOf("third") });
    assert.deepEqual(third.file.metadata, {}, "revertedTo tells of the restored head alone");
  });

  test("lists versions newest first with exactly the fields of an entry", async () => {
    const ctx = testContext(stores.one);
    const made = await make(ctx);
    await writeFile(ctx, { ref: { id: made.id }, mimeType: "text/markdown", content: streamOf("second") });
    const list = await listVersions(ctx, { ref: { id: made.id } });
    assert.deepEqual([list.fileId, list.cap, list.count], [made.id, 50, 2]);
    assert.deepEqual(list.versions[1], {
      version: 1,
      cid: helloCid,
      size: 11,
      contentHash: "sha256-uU0nuZNNPgilLlLX2n2r+sSE7+N6U4DukIj3rOLvzek=",
      mimeType: "text/plain",
      path: made.path,
      current: false,
      createdAt: made.createdAt,
      createdBy: ctx.access.grant.owner,
    });
    assert.deepEqual(
      list.versions.map(({ version, current, mimeType }) => [version, current, mimeType]),
      [
        [2, true, "text/markdown"],
        [1, false, "text/plain"],
      ],
    );
    assert.ok(Math.abs(made.createdAt - Date.now() / 1000) < 60, "unix seconds");
  });

  test("lists a moved head under the counter, never repeats a number, and keeps no snapshot of a move", async () => {
    const ctx = testContext(stores.one);
    const made = await make(ctx);
    const ref = { id: made.id };
    await bump(ctx, made.id);
    assert.deepEqual(
      (await listVersions(ctx, { ref })).versions.map(({ version }) => version),
      [2],
    );
    await assert.rejects(openContent(ctx, { ref, version: 1 }), refused("NOT_FOUND"));
    await writeFile(ctx, { ref, content: streamOf("second") });
    await bump(ctx, made.id);
    const list = await listVersions(ctx, { ref });
    assert.deepEqual(
      list.versions.map(({ version }) => version),
      [4, 2],
    );
    assert.deepEqual(new Set(list.versions.map(({ path }) => path)), new Set([`${made.path}.moved.moved`]));
    for (const [version, text] of [
      [4, "second"],
      [2, "hello world"],
    ] as const) {
      assert.equal(await textOf(await openContent(ctx, { ref, version })), text);
    }
  });

  test("changes nothing for the head's own bytes, and refuses a restore of the head", async () => {
    const ctx = testContext(stores.one);
    const made = await make(ctx);
    const ref = { id: made.id };
    await writeFile(ctx, { ref, content: streamOf("second") });
    await writeFile(ctx, { ref, content: streamOf("hello world") });
    const traces = await countTraces(ctx.deps);
    const same = await writeFile(ctx, { ref, mimeType: "text/html", content: streamOf("hello ", "world") });
    assert.deepEqual([same.changed, same.file.version, same.file.mimeType], [false, 3, "text/plain"]);
    assert.equal((await restoreVersion(ctx, { ref, version: 1 })).changed, false);
    await assert.rejects(restoreVersion(ctx, { ref, version: 3 }), refused("RULE_VIOLATION", { head: { version: 3 } }));
    await assert.rejects(restoreVersion(ctx, { ref, version: 9 }), refused("NOT_FOUND"));
    assert.deepEqual(await countTraces(ctx.deps), traces);
  });

  test("holds 50 versions: refuses the next write before it stores a byte, logs it, and frees room by pruning", async () => {
    const ctx = testContext(stores.one);
    const made = await make(ctx);
    const ref = { id: made.id };
    for (let n = 2; n <= 50; n++) await writeFile(ctx, { ref, content: streamOf(`version ${n}`) });
    await labelVersion(ctx, { ref, version: 3, label: "kept", pinned: true });
    const before = await countTraces(ctx.deps);
    const limit = { message: /Version limit reached.*50 versions/, versionsRemaining: 0 };
    const over = (error: unknown) => {
      assert.ok(error instanceof AppError && limit.message.test(error.message));
      return refused("VERSION_LIMIT", { head: { version: 50 }, versionsRemaining: 0 })(error);
    };
    let stored = 0;
    const { blobs } = ctx.deps.files;
    const counting = { ...ctx, deps: { ...ctx.deps, files: { ...ctx.deps.files, blobs: Object.create(blobs) } } };
    counting.deps.files.blobs.put = (...args: Parameters<typeof blobs.put>) => {
      stored += 1;
      return blobs.put(...args);
    };
    await assert.rejects(writeFile(counting, { ref, content: streamOf("version 51") }), over);
    await assert.rejects(restoreVersion(counting, { ref, version: 1 }), over);
    assert.equal(stored, 0);
    assert.equal((await writeFile(ctx, { ref, content: streamOf("version 50") })).changed, false);
    assert.deepEqual(await countTraces(ctx.deps), { ...before, events: before.events + 2 }, "two cap.rejected events");
    const pruned = await pruneVersions(ctx, { ref, keep: 10 });
    assert.deepEqual([pruned.count, pruned.versionsRemaining, pruned.pruned.length], [11, 39, 39]);
    const list = await listVersions(ctx, { ref });
    assert.partialDeepStrictEqual(list.versions.at(-1), { version: 3, label: "kept", pinned: true });
    assert.equal((await countTraces(ctx.deps)).blobs, before.blobs - 39);
    assert.equal((await writeFile(ctx, { ref, content: streamOf("version 51") })).file.version, 51);
  });

  test("answers 404 for an id that no file can have, and still serves concurrent requests", async () => {
    const ctx = testContext(stores.one);
    const made = await make(ctx);
    const ask = (id: string) =>
      readFile(ctx, { ref: { id } }).then(
        (file) => file.id,
        (error: AppError) => error.code,
      );
    assert.deepEqual(await Promise.all([made.id, "\0", "\ud800", made.id].map(ask)), [
      made.id,
      "NOT_FOUND",
      "NOT_FOUND",
      made.id,
    ]);
  });

  test("names a version, and refuses a name that is none", async () => {
    const ctx = testContext(stores.one);
    const { id } = await make(ctx);
    const label = (text: string | null) => labelVersion(ctx, { ref: { id }, version: 1, label: text });
    assert.equal((await label("first")).label, "first");
    assert.equal((await label(null)).label, undefined);
    for (const bad of ["", " ", "a\0b", "x".repeat(201)]) await assert.rejects(label(bad), refused("INVALID_INPUT"));
    await assert.rejects(labelVersion(ctx, { ref: { id }, version: 2, label: "x" }), refused("NOT_FOUND"));
    await label("stays");
    await writeFile(ctx, { ref: { id }, content: streamOf("next") });
    assert.deepEqual(
      (await listVersions(ctx, { ref: { id } })).versions.map(({ label }) => label),
      [undefined, "stays"],
    );
  });

  test("prunes for the owner alone", async () => {
    const ctx = testContext(stores.one);
    const made = await make(ctx);
    const delegated = testContext(stores.one, ctx.access.grant.owner, {});
    await assert.rejects(pruneVersions(delegated, { ref: { id: made.id }, keep: 1 }), refused("FORBIDDEN"));
    await assert.rejects(pruneVersions(ctx, { ref: { id: made.id }, keep: 0 }), refused("INVALID_INPUT"));
  });

  test("answers 412 with the head when a precondition fails, and takes a CID in any multibase", async () => {
    const ctx = testContext(stores.one);
    const made = await make(ctx);
    const ref = { id: made.id };
    const head = { head: { version: 1, cid: helloCid }, versionsRemaining: 49 };
    const write = (conditions: object) => writeFile(ctx, { ref, content: streamOf("x"), ...conditions });
    await assert.rejects(
      write({ ifMatch: ["bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"] }),
      refused("PRECONDITION_FAILED", head),
    );
    await assert.rejects(write({ ifMatch: ["nonsense"] }), refused("PRECONDITION_FAILED", head));
    await assert.rejects(write({ ifNoneMatch: ["*"] }), refused("PRECONDITION_FAILED", head));
    const base58 = "zb2rhj7crUKTQYRGCRATFaQ6YFLTde2YzdqbbhAASkL9uRDXn";
    await write({ ifMatch: [base58], ifNoneMatch: ["nonsense"] });
    await write({ ifMatch: ["*"] });
    const again = { path: made.path, mimeType: "text/plain", content: streamOf("x") };
    await assert.rejects(createFile(ctx, { ...again, ifNoneMatch: ["*"] }), refused("PRECONDITION_FAILED"));
    await assert.rejects(createFile(ctx, again), refused("CONFLICT"));
  });

  test("counts the bytes of all retained versions", async () => {
    const ctx = testContext(stores.one, "did:key:zUsage");
    assert.deepEqual(await readUsage(ctx), { bytes: 0, files: 0, versions: 0, quota: null });
    const { id } = await make(ctx, "12345");
    await writeFile(ctx, { ref: { id }, content: streamOf("123") });
    assert.deepEqual(await readUsage(ctx), { bytes: 8, files: 1, versions: 2, quota: null });
    await pruneVersions(ctx, { ref: { id }, keep: 1 });
    assert.deepEqual(await readUsage(ctx), { bytes: 3, files: 1, versions: 1, quota: null });
  });
});
