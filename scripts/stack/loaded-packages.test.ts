import assert from "node:assert/strict";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { build } from "esbuild";

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

test("the API loads large libraries only when they are used", async () => {
  const loaded = await loadedAtStart("api/main.ts");
  assert.ok(loaded.includes("hono"), "The imports are found.");
  const late = [
    /otel|opentelemetry/,
    /^(werift|opusscript|vega|pdfkit)$/,
    /^@aws-sdk\//,
    /^@aws-crypto\/client-node$/,
    // The agent's loop, external tools, and the protocol for tools of files.
    /^(ai|@ai-sdk\/.*|@modelcontextprotocol\/.*)$/,
    // Credentials and DIDs: some of these load ethers.
    /^(@veramo\/.*|did-jwt|ethr-did-resolver|ethers)$/,
    /^@ethereumjs\//,
    /^ipfs-unixfs-importer$/,
    // A process on PostgreSQL never loads it.
    /^(@electric-sql\/pglite.*|drizzle-orm\/pglite.*)$/,
  ];
  assert.deepEqual(
    loaded.filter((name) => late.some((pattern) => pattern.test(name))),
    [],
  );
});
