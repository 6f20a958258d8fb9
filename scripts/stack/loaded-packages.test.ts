import assert from "node:assert/strict";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { build } from "esbuild";
import { bundledLatePackages, separatePackages } from "../bundle/late-packages.ts";

const root = join(import.meta.dirname, "../..");

/** Names of all packages and built-in modules that a program loads when it starts, without those of `import()`. */
async function loadedAtStart(program: string): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [program],
    bundle: true,
    splitting: true,
    outdir: "unwritten",
    packages: "external",
    platform: "node",
    format: "esm",
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  const { outputs } = metafile;
  const [entry] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === program) ?? [""];
  const chunks = new Set([entry]);
  const names = new Set<string>();
  for (const chunk of chunks) {
    for (const { path, kind, external } of outputs[chunk]?.imports ?? []) {
      if (kind !== "import-statement") continue;
      if (external) names.add(path);
      else chunks.add(path);
    }
  }
  return [...names];
}

test("the process of npm start, which lasts as long as the system, loads no packages", async () => {
  const loaded = await loadedAtStart("scripts/dev-stack.ts");
  assert.ok(loaded.includes("node:fs"), "The imports are found.");
  assert.deepEqual(
    loaded.filter((name) => !isBuiltin(name)),
    [],
  );
});

/** Whether a name such as `drizzle-orm/pglite` is of a package, or of one whose name begins as `late` does before its `*`. */
const isPart = (name: string, late: string): boolean =>
  late.endsWith("*") ? name.startsWith(late.slice(0, -1)) : name === late || name.startsWith(`${late}/`);

test("the API loads large libraries only when they are used", async () => {
  const loaded = await loadedAtStart("api/main.ts");
  assert.ok(loaded.includes("hono"), "The imports are found.");
  const late = [...separatePackages, ...bundledLatePackages];
  assert.deepEqual(
    loaded.filter((name) => late.some((pattern) => isPart(name, pattern))),
    [],
  );
});
