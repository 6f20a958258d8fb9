import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";

const moduleUrl = pathToFileURL(join(import.meta.dirname, "build-api.ts")).href;

describe("the API's program", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "hearth-programs-"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** Build in a separate process, which prints the program's path. */
  function startBuild() {
    const code = `console.log(await (await import(${JSON.stringify(moduleUrl)})).buildApi(process.argv[1]))`;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", code, folder], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.on("data", (part: Buffer) => (output += part.toString()));
    return { child, end: once(child, "close").then(([status]) => ({ status, path: output.trim() })) };
  }

  const programsIn = async () => (await readdir(folder)).filter((name) => /^api-[0-9a-f]+$/.test(name));

  it("is complete or absent after a kill, and built once by processes that start together", async () => {
    const killed = startBuild();
    for (let i = 0; i < 600 && !existsSync(join(folder, "api.lock")); i++)
      await new Promise((done) => setTimeout(done, 20));
    killed.child.kill("SIGKILL");
    await killed.end;
    assert.deepEqual(await programsIn(), []);

    const ends = await Promise.all([startBuild().end, startBuild().end]);
    assert.deepEqual(
      ends.map(({ status }) => status),
      [0, 0],
    );
    assert.equal(new Set(ends.map(({ path }) => path)).size, 1);
    assert.equal((await programsIn()).length, 1);
    assert.ok(existsSync(ends[0].path));
  });

  it("runs, and refuses a wrong configuration as the sources do", async () => {
    const path = (await startBuild().end).path;
    const run = async (program: string) => {
      const child = spawn(process.execPath, [program], {
        env: { PATH: process.env.PATH ?? "", DATA_DIR: folder, CHAIN_ID: "none" },
        stdio: ["ignore", "ignore", "pipe"],
      });
      let output = "";
      child.stderr.on("data", (part: Buffer) => (output += part.toString()));
      const [status] = await once(child, "close");
      return { status, output };
    };
    const [program, sources] = [await run(path), await run(join(import.meta.dirname, "../api/main.ts"))];
    assert.match(program.output, /CHAIN_ID/);
    assert.deepEqual(program, sources);
  });
});
