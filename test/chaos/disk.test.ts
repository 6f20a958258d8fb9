// The disk of the embedded system fills up while clients redeem: it becomes read-only, and works again when there is room.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { issueOneVoucher, productId, supplierDid } from "../e2e/scheme.ts";
import { freePorts } from "../support/ports.ts";
import { Stack } from "../support/stack.ts";

const disk = mkdtempSync(join(tmpdir(), "hearth-disk-"));
const filler = join(disk, "filler");
let leftOut: string | undefined;
let stack: Stack | undefined;
before(async () => {
  if (process.env.HEARTH_LONG !== "1") {
    leftOut = "only in the long run (npm run test:chaos)";
    return;
  }
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=256m", "tmpfs", disk], { stdio: "pipe" });
  } catch (error) {
    leftOut = `only root can mount a small disk: ${error instanceof Error ? error.message.split("\n")[0] : error}`;
    return;
  }
  const ports = await freePorts(3);
  stack = new Stack({ dataDir: join(disk, "data"), env: { MIN_FREE_BYTES: "32000000" } }, ports);
  await stack.start();
});
after(async () => {
  await stack?.kill();
  if (leftOut === undefined) execFileSync("umount", ["--lazy", disk]);
  rmSync(disk, { recursive: true, force: true });
});

/** Fill the disk up to so many free bytes. */
function fill(free: number): void {
  const file = openSync(filler, "w");
  const block = Buffer.alloc(1 << 16);
  try {
    for (;;) writeSync(file, block);
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, "ENOSPC");
  } finally {
    closeSync(file);
  }
  if (free > 0) execFileSync("truncate", ["--size", `-${free}`, filler]);
}

test("a disk that fills up makes the system read-only until there is room, and loses nothing", {
  timeout: 300_000,
}, async (t) => {
  if (stack === undefined) return t.skip(leftOut);
  const system = stack;
  const value = 1_000_000;
  const voucherId = await issueOneVoucher(system, value);
  const path = `/v1/vouchers/${encodeURIComponent(voucherId)}`;
  let redeemed = 0;
  const redeem = (key: string) =>
    system.call(
      "POST",
      "/v1/vouchers/redeem",
      { voucherId, supplierDid, productId, amount: 1 },
      { "idempotency-key": key },
    );
  /** Redeem under one key until it is acknowledged. */
  const redeemOnce = async (key: string) => {
    const begin = Date.now();
    while ((await redeem(key).catch(() => undefined))?.status !== 201) {
      assert.ok(Date.now() - begin < 120_000, "the system does not redeem again");
      await sleep(100);
    }
    redeemed++;
    return Date.now() - begin;
  };
  await redeemOnce("before");

  fill(24_000_000);
  await sleep(1_100);
  const low = await redeem("low");
  assert.equal(low.status, 503, JSON.stringify(low));
  assert.equal((low.body.details as { rule: string }[])[0]?.rule, "disk-space");
  assert.equal((await system.call("GET", path)).body.remainingBalance, value - redeemed, "it can be read");
  rmSync(filler);
  await redeemOnce("low");

  fill(0);
  await redeem("full").catch(() => undefined);
  await sleep(5_000);
  rmSync(filler);
  t.diagnostic(`redeems again ${await redeemOnce("full")} ms after a full disk has room`);
  assert.equal((await system.call("GET", path)).body.remainingBalance, value - redeemed, "the chain has each once");
});
