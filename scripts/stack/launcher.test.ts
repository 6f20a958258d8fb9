import assert from "node:assert/strict";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { build } from "esbuild";

const root = join(import.meta.dirname, "../..");

test("the process of npm start, which lasts as long as the system, loads no packages", async () => {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ["scripts/dev-stack.ts"],
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  assert.ok(imported.includes("node:fs"), "The imports are found.");
  assert.deepEqual(
    imported.filter((path) => !isBuiltin(path)),
    [],
  );
});
