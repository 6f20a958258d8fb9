import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { generateKey, mintToken } from "../../api/platform/ucan/mint.ts";
import type { Stack } from "../support/stack.ts";
import { createStackFromTemplate } from "../support/stack-template.ts";

let stack: Stack;
let authorization: string;
before(async () => {
  stack = await createStackFromTemplate();
  await stack.start();
  const answer = await fetch(`${stack.url}/.well-known/did.json`);
  const { id } = (await answer.json()) as { id: string };
  authorization = `Bearer ${await mintToken({ issuer: await generateKey(), audience: id, abilities: ["fs/*"] })}`;
});
after(() => stack.remove());

async function fs(method: string, path: string, body?: string) {
  const answer = await fetch(`${stack.url}/api/fs${path}`, {
    method,
    headers: { authorization, "content-type": "text/plain" },
    ...(body === undefined ? {} : { body }),
  });
  return { status: answer.status, text: await answer.text() };
}

/** A command of the repository on the stopped system's folder. */
function command(script: string, ...args: string[]) {
  const env = { ...process.env, DATA_DIR: stack.dataDir, CHAIN_PORT: new URL(stack.rpcUrl).port };
  const file = join(import.meta.dirname, "../../scripts", script);
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...args], { env, encoding: "utf8" });
  return { status, output: stdout + stderr };
}

test("files, their audit and its anchor stand after a kill, and the commands say so", async () => {
  const made = await fs("POST", "/files?path=/notes.txt", "first");
  assert.equal(made.status, 201, made.text);
  const { id } = JSON.parse(made.text) as { id: string };
  assert.equal((await fs("PUT", `/files/${id}`, "second")).status, 200);
  const anchored = await stack.call("POST", "/v1/admin/audit/anchor", {});
  assert.equal(anchored.status, 200, JSON.stringify(anchored.body));
  assert.equal((anchored.body.items as unknown[]).length, 1);
  const running = command("audit-verify.ts");
  assert.deepEqual([running.status, /in use by process/.test(running.output)], [1, true], running.output);

  await stack.kill();
  const checked = command("fsck.ts", "--scrub");
  assert.equal(checked.status, 0, checked.output);
  assert.match(checked.output, /1 files, 2 versions, 2 blobs, 1 key groups, 11 bytes read/);
  assert.equal(command("audit-verify.ts").status, 1, "nothing was compared with the chain");
  const verified = command("audit-verify.ts", "--unanchored");
  assert.equal(verified.status, 0, verified.output);
  assert.match(verified.output, /2 events in 1 namespace.*\n1 daily root: .*\nNot compared with the contract/);

  await stack.start();
  assert.equal((await fs("GET", `/files/${id}/content`)).text, "second");
  const { body } = await stack.call("POST", "/v1/admin/audit/verify", {});
  assert.deepEqual(body, { namespaces: 1, events: 2, roots: { days: 1, anchored: 1 }, faults: [] });
  assert.equal((await stack.call("POST", "/v1/admin/fsck", {})).body.clean, true);
});
