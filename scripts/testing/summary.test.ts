import assert from "node:assert/strict";
import { test } from "node:test";
import { countTests, failureLines, skipLines, slowestLines, worthAnotherLook } from "./summary.ts";

test("adds up the closing lines of Hardhat's runners, coloured or not", () => {
  const output = "\u001b[32m  212 passing\u001b[39m (14s)\n  2 failing\n  1 pending\n\n  17 passing\n";
  assert.deepEqual(countTests(output), { passed: 229, failed: 2, skipped: 1 });
});

test("reads Vitest's count of tests, not of files", () => {
  const output = " Test Files  1 failed | 2 passed (3)\n      Tests  1 failed | 9 passed | 3 skipped | 2 todo (15)\n";
  assert.deepEqual(countTests(output), { passed: 9, failed: 1, skipped: 5 });
  assert.deepEqual(countTests(" Test Files  1 passed (1)\n      Tests  4 passed (4)\n").passed, 4);
});

test("counts nothing in the names of tests", () => {
  assert.deepEqual(countTests("✔ lets 3 passing suppliers through (2ms)\n ✓ Tests that 3 passed (2ms)\n"), {
    passed: 0,
    failed: 0,
    skipped: 0,
  });
});

test("names the files that took longest", () => {
  const times = [{ seconds: 1 }, { seconds: 30.25, cpuSeconds: 4.04 }, { seconds: 2 }];
  const files = times.map((time, index) => ({ ...time, file: `${index}.test.ts`, passed: true }));
  const lines = ["   30.3 s  1.test.ts, 4.0 s of processor time", "    2.0 s  2.test.ts"];
  assert.deepEqual(slowestLines(files, 2), lines);
});

test("looks again at two failed files at most", () => {
  const times = (failed: number) =>
    [1, 2, 3, 4].map((each) => ({ file: `${each}.test.ts`, seconds: 1, passed: each > failed }));
  assert.deepEqual(worthAnotherLook(times(2)), ["1.test.ts", "2.test.ts"]);
  assert.deepEqual(worthAnotherLook(times(3)), []);
});

test("tells a file's first failure in a few lines, and its others in one", () => {
  const message = `\u001b[31mfirst\u001b[39m\n${"line\n".repeat(50)}`;
  const failure = { test: "does it", file: `${process.cwd()}/a/b.test.ts`, message };
  const lines = failureLines([failure, { ...failure, test: "uses it" }]);
  assert.deepEqual(lines.slice(0, 2), ["  a/b.test.ts: does it", "    first"]);
  assert.deepEqual(lines.slice(7), ["  a/b.test.ts: uses it", "    first"]);
});

test("names each reason for which tests were left out once", () => {
  assert.deepEqual(skipLines(["no browser", "long", "no browser"]), ["  2 × no browser", "  1 × long"]);
});
