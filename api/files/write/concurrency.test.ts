import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "drizzle-orm";
import { onEachDatabase } from "../../../test/support/files/databases.ts";
import { countTraces, streamOf, testContext, textOf } from "../../../test/support/files/files.ts";
import { AppError } from "../../platform/errors.ts";
import type { FileContext } from "../deps.ts";
import { openContent } from "../read/open-content.ts";
import { readFile } from "../read/read-file.ts";
import type { HeadSummary } from "../records/file-metadata.ts";
import { fileSteps } from "../steps.ts";
import { listVersions } from "../versions/list-versions.ts";
import { restoreVersion } from "../versions/restore-version.ts";
import { createFile } from "./create-file.ts";
import { editFile } from "./edit-file.ts";
import { writeFile } from "./write-file.ts";

let owners = 0;
const conflict = "The file was modified concurrently — fetch the latest version and retry";

onEachDatabase((stores) => {
  const twoContexts = (): [FileContext, FileContext] => {
    const owner = `did:key:zRace${++owners}`;
    return [testContext(stores.one, owner), testContext(stores.two, owner)];
  };
  const make = (ctx: FileContext, path = "/a", text = "first") =>
    createFile(ctx, { path, mimeType: "text/plain", content: streamOf(text) });

  for (const retained of [1, 48, 49, 50]) {
    test(`lets one of 20 writers win on a file of ${retained} versions, and the others leave no trace`, async () => {
      const [ctx, other] = twoContexts();
      const { id } = await make(ctx);
      const ref = { id };
      for (let n = 2; n <= retained; n++) await writeFile(ctx, { ref, content: streamOf(`version ${n}`) });
      const before = await countTraces(ctx.deps);
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, (_, i) => {
          const caller = i % 2 === 0 ? ctx : other;
          if (i === 3 && retained > 1) return restoreVersion(caller, { ref, version: 1 });
          return writeFile(caller, { ref, content: streamOf(`racer ${i}`) });
        }),
      );
      const refusals = outcomes.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
      const wins = 20 - refusals.length;
      assert.equal(wins >= 1, retained < 50, "somebody wins unless the cap is reached");
      const list = await listVersions(ctx, { ref });
      assert.equal(list.count, retained + wins);
      assert.ok(list.count <= 50);
      let caps = 0;
      for (const refusal of refusals) {
        assert.ok(refusal instanceof AppError, String(refusal));
        assert.ok(refusal.code === "WRITE_CONFLICT" ? refusal.message === conflict : refusal.code === "VERSION_LIMIT");
        const note = refusal.extra as HeadSummary;
        assert.ok(note.head.version >= retained && note.versionsRemaining <= 50 - retained);
        if (refusal.code === "VERSION_LIMIT") caps += 1;
      }
      const after = await countTraces(ctx.deps);
      assert.deepEqual(after, {
        ...before,
        blobs: before.blobs + wins,
        history: before.history + wins,
        events: before.events + wins + caps,
      });
      const numbers = list.versions.map(({ version }) => version);
      assert.deepEqual(
        numbers,
        [...new Set(numbers)].sort((a, b) => b - a),
      );
    });
  }

  test("makes one file when 20 callers create it concurrently", async () => {
    const [ctx, other] = twoContexts();
    await make(ctx, "/warm");
    const before = await countTraces(ctx.deps);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) => make(i % 2 === 0 ? ctx : other, "/one", `by ${i}`)),
    );
    const refusals = outcomes.flatMap((each) => (each.status === "rejected" ? [each.reason.code] : []));
    assert.deepEqual(new Set(refusals), new Set(["CONFLICT"]));
    assert.equal(refusals.length, 19);
    const after = await countTraces(ctx.deps);
    const { blobs, files, history, events } = before;
    assert.deepEqual(
      [after.blobs, after.files, after.history, after.events],
      [blobs + 1, files + 1, history, events + 1],
    );
  });

  test("writes many files concurrently, each with its own verdict and one chain of events", async () => {
    const [ctx, other] = twoContexts();
    const made = await Promise.all(
      Array.from({ length: 60 }, (_, i) => make(i % 2 === 0 ? ctx : other, `/many/${i}`, `content ${i}`)),
    );
    await Promise.all(
      made.map(({ id }, i) => writeFile(i % 3 === 0 ? ctx : other, { ref: { id }, content: streamOf(`new ${i}`) })),
    );
    for (const [i, { id }] of made.entries()) {
      assert.equal(await textOf(await openContent(ctx, { ref: { id } })), `new ${i}`);
      assert.equal(await textOf(await openContent(other, { ref: { id }, version: 1 })), `content ${i}`);
    }
    const { rows } = await ctx.deps.db.execute<{ events: number; last: number }>(sql`
      select count(*)::int as events, max(sequence)::int as last from file_events where namespace = ${ctx.access.grant.owner}`);
    assert.deepEqual(rows[0], { events: 120, last: 120 });
  });

  test("follows a file that is moved while its new content arrives, and keeps it out of scopes that it left", async () => {
    const [ctx] = twoContexts();
    const { id } = await make(ctx, "/docs/a");
    const moving = (to: string) =>
      (async function* () {
        yield Buffer.from(`moved to ${to}`);
        await ctx.deps.db.execute(sql`update files set path = ${to}, version = version + 1 where id = ${id}`);
      })();
    const { file } = await writeFile(ctx, { ref: { id }, content: moving("/docs/b") });
    assert.deepEqual([file.path, file.version], ["/docs/b", 3]);
    const scoped = testContext(stores.one, ctx.access.grant.owner, { path: "/docs" });
    const before = await countTraces(ctx.deps);
    await assert.rejects(writeFile(scoped, { ref: { id }, content: moving("/elsewhere") }), { code: "NOT_FOUND" });
    assert.deepEqual(await countTraces(ctx.deps), before);
    assert.equal(await textOf(await openContent(ctx, { ref: { id } })), "moved to /docs/b");
    await assert.rejects(openContent(ctx, { ref: { id }, version: 1 }), { code: "NOT_FOUND" });
    assert.equal(await textOf(await openContent(ctx, { ref: { id }, version: 2 })), "first");
  });

  test("leaves no trace of a write that its caller abandons at any point before the commit", async () => {
    const [ctx] = twoContexts();
    const { id } = await make(ctx);
    const before = await countTraces(ctx.deps);
    for (const at of ["write-begun", "write-stored"] as const) {
      const abandon = new AbortController();
      const step = (name: string) => {
        if (name === at) abandon.abort();
      };
      const leaving = { ...ctx, signal: abandon.signal, deps: { ...ctx.deps, files: { ...ctx.deps.files, step } } };
      const content = () => streamOf("some", "thing");
      await assert.rejects(writeFile(leaving, { ref: { id }, content: content() }), { name: "AbortError" }, at);
      const created = createFile(leaving, { path: "/new", mimeType: "text/plain", content: content() });
      await assert.rejects(created, { name: "AbortError" }, at);
      assert.deepEqual(await countTraces(ctx.deps), before, at);
    }
    const broken = (async function* () {
      yield Buffer.alloc(2_000_000);
      throw new Error("the connection broke");
    })();
    await assert.rejects(writeFile(ctx, { ref: { id }, content: broken }), /the connection broke/);
    assert.deepEqual(await countTraces(ctx.deps), before);
  });

  test("changes nothing when a step inside the transaction fails, and takes the bytes away", async () => {
    const [ctx] = twoContexts();
    const { id } = await make(ctx);
    const before = await countTraces(ctx.deps);
    const { committer } = ctx.deps.files;
    const Failing = committer.constructor as new (options: object) => typeof committer;
    for (const at of fileSteps.filter((name) => name === "write-locked" || name === "write-changed")) {
      const step = (name: string) => {
        if (name === at) throw new Error(`failed at ${at}`);
      };
      const options = { db: ctx.deps.db, log: ctx.deps.log, lanes: 1, step };
      const failing = { ...ctx, deps: { ...ctx.deps, files: { ...ctx.deps.files, committer: new Failing(options) } } };
      await assert.rejects(writeFile(failing, { ref: { id }, content: streamOf("x") }), /failed at/);
      await assert.rejects(make(failing, "/new"), /failed at/);
      assert.deepEqual(await countTraces(ctx.deps), before);
    }
    assert.equal((await readFile(ctx, { ref: { id } })).version, 1);
  });

  test("edits a passage that occurs once, or everywhere, and tells the head when it cannot", async () => {
    const [ctx] = twoContexts();
    const { id } = await make(ctx, "/e.txt", "one two one $& ünï");
    const ref = { id };
    await assert.rejects(editFile(ctx, { ref, oldString: "three", newString: "" }), {
      code: "CONFLICT",
      message: "oldString not found",
    });
    await assert.rejects(editFile(ctx, { ref, oldString: "one", newString: "x" }), (error) => {
      assert.ok(error instanceof AppError);
      assert.deepEqual([error.code, error.message], ["CONFLICT", "oldString appears 2 times"]);
      assert.partialDeepStrictEqual(error.extra, { head: { version: 1 }, versionsRemaining: 49 });
      return true;
    });
    const edited = await editFile(ctx, { ref, oldString: "one", newString: "$&", replaceAll: true });
    assert.deepEqual([edited.version, edited.replacements, edited.mimeType], [2, 2, "text/plain"]);
    assert.equal(await textOf(await openContent(ctx, { ref })), "$& two $& $& ünï");
    const same = await editFile(ctx, { ref, oldString: "two", newString: "two" });
    assert.deepEqual([same.version, same.replacements], [2, 1]);
    const { id: binary } = await createFile(ctx, {
      path: "/b",
      mimeType: "x/y",
      content: streamOf(Buffer.from([0xff, 0x61])),
    });
    await assert.rejects(editFile(ctx, { ref: { id: binary }, oldString: "a", newString: "b" }), {
      code: "RULE_VIOLATION",
    });
  });
});
