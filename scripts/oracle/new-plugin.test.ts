import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { writeNewPlugin } from "./new-plugin.ts";

const run = promisify(execFile);
const plugins = join(import.meta.dirname, "../../api/oracle/plugins");

describe("a new plugin", () => {
  /** Next to the real one, so that the written files find their imports. */
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(plugins, "..", "plugins-"));
    await cp(join(plugins, "bundled.ts"), join(folder, "bundled.ts"));
    await symlink(join(plugins, "host"), join(folder, "host"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it("is written with a test that passes as it is, and is added to the list", async () => {
    await writeNewPlugin(folder, "text-length");
    const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
    await run(process.execPath, ["--test", join(folder, "text-length", "text-length.test.ts")], { env });
    const list = await readFile(join(folder, "bundled.ts"), "utf8");
    assert.match(list, /import \{ textLength \} from "\.\/text-length\/plugin\.ts";/);
    assert.match(list, /\n {2}textLength,\n\];/);
  });

  it("is refused under a name that is taken or none", async () => {
    await assert.rejects(writeNewPlugin(folder, "Text Length"), /is not a plugin name/);
    await assert.rejects(writeNewPlugin(folder, "text-length"), /already/);
  });
});
