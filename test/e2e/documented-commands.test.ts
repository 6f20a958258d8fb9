import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { createStack, type Stack } from "../support/stack.ts";

const folder = mkdtempSync(join(tmpdir(), "hearth-documented-"));
let stack: Stack;
before(async () => {
  // Without a key in the environment the first start creates the admin key, as the pages expect.
  stack = await createStack({ env: { ADMIN_API_KEY: "" } });
  await stack.start();
});
after(async () => {
  await stack?.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** The commands in a text, with this system's data folder, and with files that they write in a temporary folder. */
function commandsOf(text: string): string {
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, commands]) => commands);
  assert.ok(blocks.length > 0);
  return blocks
    .join("\n")
    .replaceAll("/tmp/", `${folder}/`)
    .replaceAll(".hearth/keys", join(stack.dataDir, "keys"))
    .replaceAll(/(?<=[> ])hello\.txt/g, join(folder, "hello.txt"))
    .replaceAll(/curl -s(N?) /g, "curl -s$1 --fail-with-body ");
}

/** Run commands in bash as a reader does, until one fails. @returns what they printed */
function run(commands: string): string {
  const { port } = new URL(stack.url);
  const { status, stdout, stderr } = spawnSync("bash", ["-eo", "pipefail", "-c", commands], {
    env: {
      ...process.env,
      PORT: port,
      DATA_DIR: stack.dataDir,
      ISSUER_KEY: join(stack.dataDir, "issuer-key.json"),
    },
    encoding: "utf8",
    timeout: 240_000,
  });
  assert.equal(status, 0, stdout + stderr);
  return stdout;
}

it("the commands of docs/first-vouchers.md lead from a certificate to a payment and its trace", () => {
  const printed = run(commandsOf(readFileSync("docs/first-vouchers.md", "utf8")));
  const redemption = /"redemptionId":"(REDM-\w+)"/.exec(printed)?.[1];
  assert.match(printed, /"status":"approved","carbonAmount":12.5,"settlement":\{"asset":"stablecoin","amount":0.25/);
  assert.match(printed, new RegExp(`^VCHR-\\w+ redeemed ${redemption}$`, "m"));
});

// After the first vouchers, because the pool must have CARBON to sell.
it("the commands of the README's first five minutes work twice, for every kind of user", () => {
  const [, section = ""] = /\n## The first five minutes\n([\s\S]*?)\n## /.exec(readFileSync("README.md", "utf8")) ?? [];
  const once = `${commandsOf(section)}\nkill $!\nwait $! || true\n`;
  // The pool of this small scheme has CARBON for one swap.
  const again = once.replace(/^n=.*$/m, "n=$((n + 1))").replace(/^KEY=.*swap\.mjs.*$/m, "");
  // The stream of events must not outlive a command that fails.
  const printed = run(`trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n${once}${again}`);
  assert.equal([...printed.matchAll(/"did":"did:ixo:household\/\d+","status":"registered"/g)].length, 2);
  assert.match(printed, /POST \/pool\/swap 201/);
  assert.match(printed, /"party":"ZMB"/);
  assert.match(printed, /^\+hello there$/m);
});

it("the commands of docs/files.md store, read, change, move and purge a file", () => {
  const [, section = ""] = /\n## Routes\n([\s\S]*?)\n###? /.exec(readFileSync("docs/files.md", "utf8")) ?? [];
  const printed = run(commandsOf(section));
  assert.match(printed, /"path":"\/archive\/hello\.txt"/);
  assert.match(printed, /"receipt":"ey/);
});
