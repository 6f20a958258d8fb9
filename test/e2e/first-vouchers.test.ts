import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { createStack, type Stack } from "../support/stack.ts";

let stack: Stack;
before(async () => {
  // Without a key in the environment the first start makes the admin key, as the page expects.
  stack = await createStack({ env: { ADMIN_API_KEY: "" } });
  await stack.start();
});
after(() => stack?.remove());

/** The page's commands as one script, for this system's port and data folder. */
function commandsOf(page: string): string {
  const blocks = [...readFileSync(page, "utf8").matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, commands]) => commands);
  return blocks
    .join("\n")
    .replaceAll("localhost:3000", new URL(stack.url).host)
    .replaceAll(".hearth/keys", join(stack.dataDir, "keys"))
    .replaceAll("curl -s", "curl -s --fail-with-body");
}

it("the commands of docs/first-vouchers.md lead from a certificate to a payment and its trace", () => {
  const { status, stdout, stderr } = spawnSync(
    "bash",
    ["-eo", "pipefail", "-c", commandsOf("docs/first-vouchers.md")],
    {
      env: { ...process.env, ISSUER_KEY: join(stack.dataDir, "issuer-key.json") },
      encoding: "utf8",
      timeout: 120_000,
    },
  );
  assert.equal(status, 0, stdout + stderr);
  const redemption = /"redemptionId":"(REDM-\w+)"/.exec(stdout)?.[1];
  assert.match(stdout, /"status":"approved","carbonAmount":12.5,"settlement":\{"asset":"stablecoin","amount":0.25/);
  assert.match(stdout, new RegExp(`^VCHR-\\w+ redeemed ${redemption}$`, "m"));
});
