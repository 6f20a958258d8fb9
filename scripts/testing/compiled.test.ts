import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { usesContracts } from "./compiled.ts";
import { filesOf, stages } from "./stages.ts";

test("tells the files that use compiled contracts from those that may run while they compile", () => {
  const uses = usesContracts();
  const users = new Set<string>();
  const others = new Set<string>();
  for (const stage of stages) {
    for (const file of filesOf(stage)) (uses({ stage, files: [file], seconds: 1 }) ? users : others).add(file);
  }
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
