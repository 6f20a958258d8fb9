import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const preload = new URL("../../indexer/preload.mjs", import.meta.url).href;
const database = new URL("database/index.js", import.meta.resolve("ponder")).href;
const build = new URL("build/index.js", import.meta.resolve("ponder")).href;
const root = fileURLToPath(new URL("../..", import.meta.url));

/** Samples that a monitor of the event loop takes in a second at the resolution that Ponder asks for. */
async function samples(...options: string[]): Promise<number> {
  const program = `import { monitorEventLoopDelay } from "node:perf_hooks";
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    setTimeout(() => { console.log(delay.count); process.exit(); }, 1_000);`;
  const args = [...options, "--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
  return Number(stdout);
}

/** Whether the part of Ponder that loads files also loads Rollup's native library. */
async function loadsRollup(...options: string[]): Promise<boolean> {
  const program = `await import(${JSON.stringify(build)});
    process.report.excludeNetwork = true;
    console.log(process.report.getReport().sharedObjects.some((path) => path.includes("rollup")));`;
  const args = [...options, "--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
  return JSON.parse(stdout);
}

/** What Ponder instantiates when it checks an embedded database and when it then opens it, and what a query and a close answer. */
async function openTwice(folder: string): Promise<unknown> {
  const program = `const { createBuild } = await import(${JSON.stringify(build)});
    const { createDatabase } = await import(${JSON.stringify(database)});
    let starts = 0;
    const { instantiate } = WebAssembly;
    WebAssembly.instantiate = (...args) => ((starts += 1), instantiate(...args));
    const ends = [];
    const logger = { info() {}, warn() {}, debug() {}, trace() {}, error: console.error, child: () => logger };
    const observe = { observe() {}, inc() {} };
    const metrics = new Proxy({}, { get: () => observe });
    const folders = { rootDir: ${JSON.stringify(folder)}, indexingDir: "src", apiDir: "api", ponderDir: "/nowhere", schemaFile: "/none" };
    const shutdown = { add: (end) => ends.push(end), isKilled: false };
    const common = { options: { ...folders, command: "serve" }, logger, metrics, shutdown, buildShutdown: shutdown };
    const preBuild = { databaseConfig: { kind: "pglite", options: { dataDir: ${JSON.stringify(folder)} } } };
    const checks = await createBuild({ common, cliOptions: {} });
    const { status } = await checks.databaseDiagnostic({ preBuild });
    const inCheck = starts;
    const namespace = { schema: "one" };
    const { driver } = createDatabase({ common, namespace, preBuild, schemaBuild: { schema: {} } });
    const { rows } = await driver.instance.query("select 1 as one");
    for (const end of ends) await end();
    console.log(JSON.stringify({ status, rows, closed: driver.instance.closed, inCheck, later: starts - inCheck }));
    process.exit();`;
  const args = ["--liftoff-only", `--import=${preload}`, "--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
  return JSON.parse(stdout);
}

/** Tables for which Ponder's cache guesses rows from values that no key can have. */
async function guessRows(...options: string[]): Promise<Record<string, number>> {
  const program = join(import.meta.dirname, "guessed-rows.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [...options, program], { cwd: root });
  return JSON.parse(stdout);
}

describe("what is loaded before Ponder", () => {
  it("lets it sample the event loop a few times a second, not hundreds", async () => {
    assert.ok((await samples(`--import=${preload}`)) < 10);
    assert.ok((await samples()) > 10, "Node samples as often as it is asked to");
  });

  it("loads the indexer's files with Node, without Vite and its Rollup", async () => {
    assert.equal(await loadsRollup(`--import=${preload}`), false);
    assert.equal(await loadsRollup(), true, "Ponder itself loads them with Vite");
  });

  it("starts an embedded database once, and closes it at the end", async () => {
    const folder = mkdtempSync(join(tmpdir(), "hearth-preload-"));
    try {
      const { inCheck, ...others } = (await openTwice(join(folder, "pglite"))) as { inCheck: number };
      assert.ok(inCheck > 0, "the check starts PostgreSQL");
      assert.deepEqual(others, { status: "success", rows: [{ one: 1 }], closed: true, later: 0 });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("lets an index live with values on chain that none of its rows can have as a key", async () => {
    const guessed = await guessRows(`--import=${preload}`);
    assert.ok(Object.keys(guessed).length > 40);
    assert.ok(Object.values(guessed).every((values) => values === 10));
    await assert.rejects(guessRows(), /out of range for type integer|Cannot convert|invalid input syntax/);
  });
});
