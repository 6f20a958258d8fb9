import assert from "node:assert/strict";
import { randomInt, randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Stack } from "../support/stack.ts";
import { createStackFromTemplate } from "../support/stack-template.ts";
import { issueOneVoucher, productId, supplierDid } from "./scheme.ts";

const long = process.env.HEARTH_LONG === "1";
const kills = long ? 50 : 3;
const clients = 4;
const value = 1_000_000;

let stack: Stack;
before(async () => {
  stack = await createStackFromTemplate();
});
after(() => stack.remove());

/** Redeems until told to stop: each write is repeated under its key until it is acknowledged. */
async function redeemRepeatedly(voucherId: string, isOver: () => boolean): Promise<Map<string, string>> {
  const acknowledged = new Map<string, string>();
  while (!isOver()) {
    const key = randomUUID();
    const body = { voucherId, supplierDid, productId, amount: 1 };
    for (;;) {
      const answer = await stack
        .call("POST", "/v1/vouchers/redeem", body, { "idempotency-key": key })
        .catch(() => undefined);
      if (answer?.status === 201) {
        acknowledged.set(key, String(answer.body.redemptionId));
        break;
      }
      // No answer, or one that says "not now": the same write again under the same key.
      const isTransient = answer === undefined || [202, 409, 500, 502, 503].includes(answer.status);
      assert.ok(isTransient, JSON.stringify(answer));
      await sleep(100);
    }
  }
  return acknowledged;
}

async function killAndStart(round: number): Promise<void> {
  await sleep(randomInt(200, 4_000));
  await stack.kill();
  if (round % 3 === 2) {
    // Also in the middle of a start.
    stack.spawn();
    await sleep(randomInt(300, 6_000));
    await stack.kill();
  }
  await stack.start();
}

async function countRedemptions(voucherId: string): Promise<number> {
  let cursor: string | null = null;
  let count = 0;
  do {
    const query: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const { status, body } = await stack.call("GET", `/v1/redemptions?voucherId=${voucherId}&limit=500${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    count += (body.items as unknown[]).length;
    cursor = body.nextCursor as string | null;
  } while (cursor !== null);
  return count;
}

test(`loses no acknowledged redemption and does none twice over ${kills} kills of everything`, {
  timeout: long ? 7_200_000 : 600_000,
}, async (t) => {
  await stack.start();
  const voucherId = await issueOneVoucher(stack, value);
  let over = false;
  const work = Array.from({ length: clients }, () => redeemRepeatedly(voucherId, () => over));
  for (let round = 0; round < kills; round++) await killAndStart(round);
  await sleep(1_000);
  over = true;
  const ids = (await Promise.all(work)).flatMap((acknowledged) => [...acknowledged.values()]);
  t.diagnostic(`${ids.length} redemptions acknowledged`);

  assert.ok(ids.length > kills, "the clients got something done");
  assert.equal(new Set(ids).size, ids.length, "every acknowledged write has a separate redemption");
  const voucher = await stack.call("GET", `/v1/vouchers/${encodeURIComponent(voucherId)}`);
  assert.equal(voucher.body.remainingBalance, value - ids.length, "the chain has each of them once");
  for (const id of ids) {
    const { status } = await stack.call("GET", `/v1/redemptions/${encodeURIComponent(id)}`);
    assert.equal(status, 200, `${id} is there`);
  }
  let mirrored = await countRedemptions(encodeURIComponent(voucherId));
  for (let waited = 0; mirrored !== ids.length && waited < 120_000; waited += 500) {
    await sleep(500);
    mirrored = await countRedemptions(encodeURIComponent(voucherId));
  }
  assert.equal(mirrored, ids.length, "the indexer has each of them once");
});
