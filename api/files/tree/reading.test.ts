import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { applyPatch as applyUnified } from "diff";
import fastJsonPatch from "fast-json-patch";
import { openTestFiles, streamOf, type TestFiles, testContext } from "../../../test/support/files/files.ts";
import { AppError, type ErrorCode } from "../../platform/errors.ts";
import type { FileContext } from "../deps.ts";
import { readLines } from "../read/read-lines.ts";
import { diffVersions } from "../versions/diff-versions.ts";
import { createFile } from "../write/create-file.ts";
import { writeFile } from "../write/write-file.ts";

const refusedWith = (code: ErrorCode) => (error: unknown) => error instanceof AppError && error.code === code;

let stores: TestFiles;
let ctx: FileContext;
before(async () => {
  stores = await openTestFiles();
  ctx = testContext(stores);
});
after(() => stores.close());

let files = 0;
/** A file with these versions, the last one its head. */
async function put(versions: readonly (string | Uint8Array)[], mimeType = "text/plain"): Promise<{ id: string }> {
  const [first = "", ...rest] = versions;
  const { id } = await createFile(ctx, { path: `/f${++files}`, mimeType, content: streamOf(first) });
  for (const content of rest) await writeFile(ctx, { ref: { id }, content: streamOf(content) });
  return { id };
}

test("numbers lines from 1, whatever ends them", async () => {
  const ref = await put(["a\r\nb\n\nd\n"]);
  assert.deepEqual(await readLines(ctx, { ref }), {
    text: "     1\ta\n     2\tb\n     3\t\n     4\td",
    offset: 1,
    count: 4,
    hasMore: false,
    totalLines: 4,
  });
  assert.deepEqual(await readLines(ctx, { ref, offset: 2, limit: 2 }), {
    text: "     2\tb\n     3\t",
    offset: 2,
    count: 2,
    hasMore: true,
    totalLines: 4,
  });
  const beyond = await readLines(ctx, { ref, offset: 9 });
  assert.deepEqual(beyond, { text: "", offset: 9, count: 0, hasMore: false, totalLines: 4 });
});

test("counts no line in an empty file, and one without a line end", async () => {
  assert.equal((await readLines(ctx, { ref: await put([""]) })).totalLines, 0);
  assert.equal((await readLines(ctx, { ref: await put(["x"]) })).totalLines, 1);
});

test("reads lines across segments, of any retained version", async () => {
  const text = Array.from({ length: 200_000 }, (_, index) => `línea ${index + 1}`).join("\n");
  const ref = await put([text, "short"]);
  const lines = await readLines(ctx, { ref, version: 1, offset: 199_999, limit: 5_000 });
  assert.deepEqual([lines.text, lines.totalLines], ["199999\tlínea 199999\n200000\tlínea 200000", 200_000]);
});

test("shows fewer lines when they are long, and none of a line that is too long", async () => {
  const ref = await put([`${"a".repeat(3_000_000)}\n${"b".repeat(3_000_000)}\nc`]);
  const { count, hasMore, totalLines } = await readLines(ctx, { ref });
  assert.deepEqual([count, hasMore, totalLines], [1, true, 3]);
  await assert.rejects(readLines(ctx, { ref: await put(["a".repeat(5_000_000)]) }), refusedWith("TOO_LARGE"));
});

test("refuses bytes as lines, and lines that are out of range", async () => {
  await assert.rejects(readLines(ctx, { ref: await put([Uint8Array.of(1, 0, 2)]) }), refusedWith("RULE_VIOLATION"));
  await assert.rejects(readLines(ctx, { ref: await put([Uint8Array.of(0xff)]) }), refusedWith("RULE_VIOLATION"));
  const ref = await put(["a"]);
  for (const input of [{ offset: 0 }, { limit: 0 }, { limit: 5_001 }, { offset: 1.5 }]) {
    await assert.rejects(readLines(ctx, { ref, ...input }), refusedWith("INVALID_INPUT"));
  }
  await assert.rejects(readLines(ctx, { ref: { id: "nothing" } }), refusedWith("NOT_FOUND"));
});

test("tells two versions apart by a diff that makes one of the other", async () => {
  const [one, two] = ["a\nb\nc\n", "a\nB\nc\nd\n"];
  const ref = await put([one, two]);
  const { diff, patch, from, to } = await diffVersions(ctx, { ref, from: 1, to: 2 });
  assert.equal(applyUnified(one, diff), two);
  assert.deepEqual([patch, from.version, to.version], [null, 1, 2]);
  const back = await diffVersions(ctx, { ref, from: 2, to: 1 });
  assert.equal(applyUnified(two, back.diff), one);
  assert.equal((await diffVersions(ctx, { ref, from: 2, to: 2 })).diff, "");
  await assert.rejects(diffVersions(ctx, { ref, from: 1, to: 3 }), refusedWith("NOT_FOUND"));
});

test("gives a JSON patch for JSON, unless it would not be exact", async () => {
  const [one, two] = [
    { a: [1, 2], "x/y": { z: null } },
    { a: [1, 3, 4], b: "n" },
  ];
  const ref = await put([JSON.stringify(one), JSON.stringify(two)], "application/json");
  const { patch } = await diffVersions(ctx, { ref, from: 1, to: 2 });
  assert.deepEqual(fastJsonPatch.applyPatch(structuredClone(one), patch ?? []).newDocument, two);
  const whole = await diffVersions(ctx, { ref: await put(["[1]", '{"a":1}'], "application/ld+json"), from: 1, to: 2 });
  assert.deepEqual(whole.patch, [{ op: "replace", path: "", value: { a: 1 } }]);
  for (const texts of [
    ["1", "{"],
    ["[9007199254740993]", "[9007199254740992]"],
    ["1", `${"[".repeat(501)}${"]".repeat(501)}`],
  ]) {
    const inexact = await diffVersions(ctx, { ref: await put(texts, "application/json"), from: 1, to: 2 });
    assert.equal(inexact.patch, null);
    assert.notEqual(inexact.diff, "");
  }
});

test("refuses to compare what is not text, too large, or too different", async () => {
  await assert.rejects(
    diffVersions(ctx, { ref: await put(["a", Uint8Array.of(0)]), from: 1, to: 2 }),
    refusedWith("RULE_VIOLATION"),
  );
  const large = await put(["a", "a".repeat(1024 ** 2 + 1)]);
  await assert.rejects(diffVersions(ctx, { ref: large, from: 1, to: 2 }), refusedWith("TOO_LARGE"));
  const lines = (seed: string) => Array.from({ length: 30_000 }, (_, index) => `${seed}${index}`).join("\n");
  const different = await put([lines("a"), lines("b")]);
  const begun = performance.now();
  await assert.rejects(diffVersions(ctx, { ref: different, from: 1, to: 2 }), refusedWith("TOO_LARGE"));
  assert.ok(performance.now() - begun < 10_000);
});
