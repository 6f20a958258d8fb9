import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createCouncil } from "../../../../test/support/scheme.ts";
import { openVoucherTest, rulesOf, type VoucherTest } from "../../../../test/support/vouchers.ts";
import type { ErrorBody } from "../../../platform/http/error-response.ts";

let t: VoucherTest;
before(async () => {
  t = await openVoucherTest({ OFFLINE_CARD_LIMIT: "30" });
  await createCouncil(t.world)("participants", "setUnconsentedCap", [0, 1_000_000]);
});
after(() => t?.close());

async function issue(n: number): Promise<string> {
  const emissionCertificateId = await t.certify();
  const { body } = await t.issue({ recipientDid: t.household(n), emissionCertificateId, value: 100 });
  return (body as { id: string }).id;
}

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
const offline = (voucherId: string, amount: number, acceptedOffline: string, idempotencyKey?: string) =>
  t.admin(
    "POST",
    "/vouchers/redeem",
    { voucherId, amount, acceptedOffline, supplierDid: "did:ixo:supplier/456", productId: "PROD-789" },
    idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey },
  );

test("says the limits to every till", async () => {
  const { body } = await t.admin("GET", "/redemption-terms");
  assert.partialDeepStrictEqual(body, { offlineLimits: { perCard: 30, perDevice: 1000 } });
});

test("takes what a household spent without a network up to the limit, at all tills together", async () => {
  const [first, second] = [await issue(1), await issue(1)];
  const answers = [await offline(first, 20, minutesAgo(60)), await offline(second, 10, minutesAgo(50))];
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 201],
  );
  const refused = await offline(first, 0.000001, minutesAgo(40));
  assert.deepEqual([refused.status, ...rulesOf(refused)], [400, "offline-within-limit"]);
  assert.match(
    (refused.body as ErrorBody).details[0]?.message ?? "",
    /may spend 30 CARBON .* 0 CARBON of that were left/,
  );
  // The orders before have arrived: they were not pending when this one was accepted.
  assert.equal((await offline(first, 30, new Date(Date.now() + 1_000).toISOString())).status, 201);
  assert.equal((await t.redeem({ voucherId: first, amount: 40 })).status, 201);
});

test("counts a repeated order once, and a refused one not at all", async () => {
  const voucherId = await issue(2);
  const at = minutesAgo(30);
  for (let i = 0; i < 2; i++) assert.equal((await offline(voucherId, 25, at, "offline-once")).status, 201);
  const household = (await t.deps.registry.households.byDid(t.household(2)))?.household ?? 0;
  const order = { orderKey: "k", household, amount: 5_000_000n, acceptedAt: new Date(minutesAgo(20)) };
  assert.deepEqual(await t.deps.offlineOrders.take(order), []);
  assert.deepEqual(await t.deps.offlineOrders.take(order), []);
  await t.deps.offlineOrders.giveBack("k");
  const unknown = await t.admin("POST", "/vouchers/redeem", {
    voucherId,
    amount: 5,
    acceptedOffline: minutesAgo(20),
    supplierDid: "did:ixo:supplier/456",
    productId: "PROD-NONE",
  });
  assert.equal(unknown.status, 400);
  assert.equal((await offline(voucherId, 5, minutesAgo(20))).status, 201);
});

test("names the ledger's broken rules together with the limit", async () => {
  const voucherId = await issue(3);
  const refused = await offline(voucherId, 101, minutesAgo(1));
  assert.deepEqual([refused.status, ...rulesOf(refused)], [400, "amount-within-balance", "offline-within-limit"]);
});

test("takes orders that arrive at the same moment up to the limit", async () => {
  const voucherId = await issue(4);
  const answers = await Promise.all([1, 2, 3, 4].map((n) => offline(voucherId, 12, minutesAgo(n))));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 400, 400]);
});
