import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { buffer, text } from "node:stream/consumers";

const isMissing = spawnSync("python3", ["--version"]).error !== undefined;
/** Why the tests of this folder are left out; false where Python is installed. */
export const skip =
  isMissing && process.env.CI !== "true" ? "python3 is not installed (apt-get install python3)" : false;

/** Run one of the programs of this folder with Python's standard library alone. */
export async function python(program: string, args: string[], input: Uint8Array = new Uint8Array()): Promise<Buffer> {
  // -I: no packages of the user, no PYTHON… variables; the folder is added again for the modules next to the program.
  const folder = import.meta.dirname;
  const start = `import sys; sys.path.insert(0, ${JSON.stringify(folder)}); sys.argv = sys.argv[1:]; import runpy; runpy.run_path(sys.argv[0], run_name="__main__")`;
  const child = spawn("python3", ["-I", "-S", "-c", start, join(folder, program), ...args]);
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  const [out, err, code] = await Promise.all([buffer(child.stdout), text(child.stderr), ended]);
  assert.equal(code, 0, err);
  return out;
}
