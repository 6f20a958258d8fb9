import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { usesContracts } from "./compiled.ts";
import { filesOf, stages } from "./stages.ts";

/** The test files that wait for the contracts, and those that may run while they compile. */
function divide(isCommitted: boolean): { users: Set<string>; others: Set<string> } {
  const uses = usesContracts(isCommitted);
  const users = new Set<string>();
  const others = new Set<string>();
  for (const stage of stages) {
    for (const file of filesOf(stage)) (uses({ stage, files: [file], seconds: 1 }) ? users : others).add(file);
  }
  return { users, others };
}

test("tells the files that use compiled contracts from those that may run while they compile", () => {
  const { users, others } = divide(false);
  const self = "scripts/testing/compiled.test.ts";
  const readers = [...users, ...others].filter(
    (file) => file !== self && readFileSync(file, "utf8").includes("artifacts/contracts"),
  );
  assert.ok(readers.length > 0);
  for (const file of readers) assert.ok(users.has(file), file);
  for (const file of ["api/scheme/claims/claims.test.ts", "sdk/test/unit/wake.test.ts", "test/e2e/kill.test.ts"]) {
    assert.ok(users.has(file), file);
  }
  for (const file of ["api/files/tree/scale.test.ts", "test/crash/crash.test.ts"]) assert.ok(others.has(file), file);
  assert.ok([...others].some((file) => file.startsWith("web/")));
});

test("lets files that only deploy contracts run immediately while the committed code is that of the sources", () => {
  const { users, others } = divide(true);
  for (const file of [
    "api/scheme/claims/claims.test.ts",
    "test/e2e/kill.test.ts",
    "test/browser/console-pages.test.ts",
  ])
    assert.ok(others.has(file), file);
  for (const file of ["api/scheme/pool/swap.test.ts", "scripts/deploy/verification.test.ts"])
    assert.ok(users.has(file), file);
});
