import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const preload = new URL("../../indexer/preload.mjs", import.meta.url).href;
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

describe("what is loaded before Ponder", () => {
  it("lets it sample the event loop a few times a second, not hundreds", async () => {
    assert.ok((await samples(`--import=${preload}`)) < 10);
    assert.ok((await samples()) > 10, "Node samples as often as it is asked to");
  });
});
