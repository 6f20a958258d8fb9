// The drill of an embedded system: back up under load, wipe, restore.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { generateKey, mintToken } from "../../api/platform/ucan/mint.ts";
import { issueOneVoucher, productId, supplierDid } from "../e2e/scheme.ts";
import type { Stack } from "../support/stack.ts";
import { startStackFromTemplate } from "../support/stack-template.ts";

const loadMs = process.env.HEARTH_LONG === "1" ? 20_000 : 1_500;
const value = 1_000_000;
const folders: string[] = [];
let stack: Stack | undefined;
after(async () => {
  await stack?.remove();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

type Acknowledged = { at: number; redemption?: string; file?: { id: string; content: string } };

/** A command of the repository for the system's folder; answers its exit code and what it printed. */
function command(system: Stack, script: string, ...args: string[]): Promise<{ code: number; output: string }> {
  const env = { ...process.env, DATA_DIR: system.dataDir, CHAIN_PORT: new URL(system.rpcUrl).port };
  return new Promise((resolve) => {
    execFile(process.execPath, [`scripts/${script}.ts`, ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr }),
    );
  });
}

/** Write until `isOver`, and record every write that the system acknowledged. */
async function write(system: Stack, voucherId: string, bearer: string, isOver: () => boolean, done: Acknowledged[]) {
  while (!isOver()) {
    const body = { voucherId, supplierDid, productId, amount: 1 };
    const redeemed = await system.call("POST", "/v1/vouchers/redeem", body, { "idempotency-key": randomUUID() });
    assert.ok([201, 202].includes(redeemed.status), JSON.stringify(redeemed));
    if (redeemed.status === 201) done.push({ at: Date.now(), redemption: String(redeemed.body.redemptionId) });
    const content = `content ${randomUUID()}`;
    const answer = await fetch(`${system.url}/api/fs/files?path=/${randomUUID()}.txt`, {
      method: "POST",
      headers: { authorization: bearer, "content-type": "text/plain" },
      body: content,
    });
    assert.equal(answer.status, 201, await answer.clone().text());
    const { id } = (await answer.json()) as { id: string };
    done.push({ at: Date.now(), file: { id, content } });
  }
}

async function isThere(system: Stack, bearer: string, { redemption, file }: Acknowledged): Promise<boolean> {
  if (redemption !== undefined)
    return (await system.call("GET", `/v1/redemptions/${encodeURIComponent(redemption)}`)).status === 200;
  const answer = await fetch(`${system.url}/api/fs/files/${file?.id}/content`, { headers: { authorization: bearer } });
  return answer.status === 200 && (await answer.text()) === file?.content;
}

test("restores a backup that was taken under load, with every write acknowledged before it", {
  timeout: 900_000,
}, async (t) => {
  const system = await startStackFromTemplate();
  stack = system;
  const { id: did } = (await (await fetch(`${system.url}/.well-known/did.json`)).json()) as { id: string };
  const bearer = `Bearer ${await mintToken({ issuer: await generateKey(), audience: did, abilities: ["fs/*"] })}`;
  const voucherId = await issueOneVoucher(system, value);
  const done: Acknowledged[] = [];
  let over = false;
  const load = Promise.all(Array.from({ length: 4 }, () => write(system, voucherId, bearer, () => over, done)));
  await sleep(loadMs);
  assert.equal((await system.call("POST", "/v1/admin/audit/anchor", {})).status, 200);

  const backup = join(await mkdtemp(join(tmpdir(), "hearth-drill-")), "backup");
  folders.push(join(backup, ".."));
  const began = Date.now();
  const taken = await command(system, "backup", backup);
  const tookMs = Date.now() - began;
  assert.equal(taken.code, 0, taken.output);
  const before = done.filter(({ at }) => at < began);
  await sleep(loadMs / 2);
  over = true;
  await load;

  await system.kill();
  for (const name of await readdir(system.dataDir)) {
    if (name !== "keys") await rm(join(system.dataDir, name), { recursive: true });
  }
  const restoring = Date.now();
  const restored = await command(system, "restore", backup);
  assert.equal(restored.code, 0, restored.output);
  const restoreMs = Date.now() - restoring;
  const checked = await command(system, "fsck", "--scrub");
  assert.equal(checked.code, 0, checked.output);
  const verified = await command(system, "audit-verify", "--unanchored");
  assert.equal(verified.code, 0, verified.output);

  await system.start();
  t.diagnostic(
    `${done.length} writes acknowledged, ${before.length} before the backup; backup ${tookMs} ms, restore ${restoreMs} ms`,
  );
  assert.ok(before.some(({ redemption }) => redemption) && before.some(({ file }) => file), "both kinds were written");
  for (const each of before) assert.ok(await isThere(system, bearer, each), `${JSON.stringify(each)} is there`);
  const audit = await system.call("POST", "/v1/admin/audit/verify", {});
  assert.deepEqual(audit.body.faults, [], JSON.stringify(audit.body));
  assert.equal((audit.body.roots as { anchored?: number }).anchored, 1, "the anchored root is that of the contract");
  assert.equal((await system.call("POST", "/v1/admin/fsck", {})).body.clean, true);
  const redeemed = await system.call("POST", "/v1/vouchers/redeem", { voucherId, supplierDid, productId, amount: 1 });
  assert.equal(redeemed.status, 201, "the restored system takes writes");
});
