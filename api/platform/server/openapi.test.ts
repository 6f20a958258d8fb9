import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

const api = join(import.meta.dirname, "../..");

/** The generator says nothing when two schemas share a name: the second is shown as the first. */
test("gives every schema of the document a different name", async () => {
  const names = new Map<string, string[]>();
  for (const entry of await readdir(api, { recursive: true })) {
    if (!entry.endsWith(".ts") || entry.endsWith(".test.ts")) continue;
    const source = await readFile(join(api, entry), "utf8");
    for (const [, name = ""] of source.matchAll(/\.openapi\(\s*"(\w+)"/g))
      names.set(name, [...(names.get(name) ?? []), entry]);
  }
  assert.ok(names.size > 100, `only ${names.size} names were found`);
  assert.deepEqual(
    [...names].filter(([, files]) => files.length > 1),
    [],
  );
});
