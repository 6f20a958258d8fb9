import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { it } from "node:test";
import { inputs } from "./sources.ts";

const root = join(import.meta.dirname, "../..");

it("the console is built again when any file that it imports has changed", () => {
  const files = globSync("{web/src,sdk/src,wire/src}/**/*.{ts,tsx}", { cwd: root }).filter(
    (file) => !/\.test\.tsx?$/.test(file),
  );
  const imported = files.flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(/from "(\.[^"]+)"/g)].map(([, path = ""]) =>
      relative(root, join(root, dirname(file), path)),
    ),
  );
  assert.ok(imported.some((path) => path.startsWith("wire/src/")));
  const isInput = (path: string) => inputs.some((input) => path === input || path.startsWith(`${input}/`));
  assert.deepEqual([...new Set(imported.filter((path) => !isInput(path)))], []);
});
