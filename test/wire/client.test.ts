import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Worker } from "node:worker_threads";
import { createClient, createProofKey, exact, HearthError, PendingTransactionError } from "../../wire/src/index.ts";
import { testAdminKey } from "../support/core.ts";
import { implementerDid, productId, supplierDid } from "../support/vouchers.ts";
import { openWorld, type World } from "./world.ts";

describe("the client of the HTTP API", () => {
  let world: World;
  let voucherId: string;
  before(async () => {
    world = await openWorld();
    const emissionCertificateId = await world.hearth.certify();
    const issued = await admin().post("/v1/vouchers/issue", {
      body: {
        recipientDid: world.hearth.household(1),
        emissionCertificateId,
        value: 100,
        attributes: { batchId: "BATCH-1", issuanceDate: "2024-03-15", expiryDate: "2099-12-31" },
      },
    });
    voucherId = issued.id;
  });
  after(() => world?.close());

  const admin = (more: Partial<Parameters<typeof createClient>[0]> = {}) =>
    createClient({ baseUrl: world.baseUrl, key: testAdminKey, ...more });
  const balance = async () => (await admin().get("/v1/vouchers/{voucherId}", { path: { voucherId } })).remainingBalance;

  it("sends and reads every digit of amounts", async () => {
    const body = { voucherId, supplierDid, productId, amount: exact("12.000001") };
    const redeemed = await admin().post("/v1/vouchers/redeem", { body });
    assert.equal(redeemed.remainingBalance, "87.999999");
    assert.equal(await balance(), "87.999999");
  });

  it("sends an integer of more digits than a number holds as text", async () => {
    const nonce = 2n ** 200n + 1n;
    const prepared = await admin().post("/v1/transactions/prepare", {
      body: { action: "itmo-cancel-order", implementerDid, nonce: String(nonce) },
    });
    assert.ok("transaction" in prepared);
    assert.ok(prepared.transaction.data.endsWith(nonce.toString(16)));
  });

  it("repeats a write whose answer was lost, which is carried out once", async () => {
    const before = Number(await balance());
    let lost = 0;
    const hearth = admin({
      fetch: async (request) => {
        const response = await fetch(request);
        lost += 1;
        if (lost <= 2) throw new TypeError("connection reset");
        return response;
      },
    });
    await hearth.post("/v1/vouchers/redeem", { body: { voucherId, supplierDid, productId, amount: 1 } });
    assert.equal(lost, 3);
    assert.equal(Number(await balance()), before - 1);
  });

  it("carries out several calls with the same idempotency key once", async () => {
    const before = Number(await balance());
    const options = { body: { voucherId, supplierDid, productId, amount: 2 }, idempotencyKey: "order-4711" };
    const first = await admin().post("/v1/vouchers/redeem", options);
    const again = await admin().post("/v1/vouchers/redeem", options);
    assert.equal(again.redemptionId, first.redemptionId);
    assert.equal(Number(await balance()), before - 2);
  });

  it("throws one class of error that names every broken rule, and does not repeat a refused request", async () => {
    let sent = 0;
    const hearth = admin({
      fetch: (request) => {
        sent += 1;
        return fetch(request);
      },
    });
    const body = { voucherId: "VCHR-1", supplierDid: "nobody", productId, amount: -1 };
    await assert.rejects(hearth.post("/v1/vouchers/redeem", { body }), (error) => {
      assert.ok(error instanceof HearthError);
      assert.equal(error.status, 400);
      assert.equal(error.isPassing, false);
      assert.deepEqual(new Set(error.details.map(({ path }) => path)), new Set(["supplierDid", "amount"]));
      return true;
    });
    assert.equal(sent, 1);
  });

  it("throws OFFLINE when no answer comes after the given number of retries", async () => {
    let sent = 0;
    const hearth = admin({
      retries: 1,
      fetch: () => {
        sent += 1;
        return Promise.reject(new TypeError("fetch failed"));
      },
    });
    await assert.rejects(hearth.get("/v1/keys/self"), { name: "HearthError", status: 0, code: "OFFLINE" });
    assert.equal(sent, 2);
  });

  it("stops immediately when its signal aborts", async () => {
    const signal = AbortSignal.timeout(50);
    const hearth = admin({ retries: 100, fetch: () => Promise.reject(new TypeError("fetch failed")) });
    await assert.rejects(hearth.get("/v1/keys/self", { signal }), { name: "TimeoutError" });
  });

  it("yields every item of a list, page by page", async () => {
    const dids: string[] = [];
    for await (const { did } of admin().items("/v1/households", { query: { limit: 3 } })) dids.push(did);
    assert.equal(dids.length, 10);
    assert.equal(new Set(dids).size, 10);
  });

  it("waits for an operation and reports its progress", async () => {
    const rows = Array.from({ length: 5 }, (_, i) => `did:ixo:household/import-${i},south`);
    const { operationId } = await admin().post("/v1/households/import", {
      contentType: "text/csv",
      body: ["did,region", ...rows].join("\n"),
    });
    const counts: number[] = [];
    const ended = await admin().operation(operationId, { onProgress: ({ done }) => counts.push(done) });
    assert.equal(ended.status, "succeeded");
    assert.equal(counts.at(-1), 5);
    const aborted = admin().operation("00000000-0000-0000-0000-000000000000");
    await assert.rejects(aborted, { name: "HearthError", status: 404 });
  });

  it("proves possession of a supplier's key", async () => {
    const proofKey = await createProofKey();
    const { key } = await admin().post("/v1/keys", {
      body: { name: "till", role: "supplier", supplierDid, publicJwk: proofKey.publicJwk },
    });
    const till = createClient({ baseUrl: world.baseUrl, key, proofKey });
    const { remainingBalance } = await till.post("/v1/vouchers/redeem", {
      body: { voucherId, supplierDid, productId, amount: 1 },
    });
    assert.equal(remainingBalance, await balance());
    const bare = createClient({ baseUrl: world.baseUrl, key });
    await assert.rejects(bare.get("/v1/keys/self"), { name: "HearthError", status: 401 });
  });

  it("dates its proofs by the server's clock when its own is wrong", async () => {
    const proofKey = await createProofKey({ extractable: true });
    const { key } = await admin().post("/v1/keys", {
      body: { name: "late", role: "supplier", supplierDid, publicJwk: proofKey.publicJwk },
    });
    const worker = new Worker(new URL("wrong-clock.ts", import.meta.url), {
      workerData: { baseUrl: world.baseUrl, key, proofKey },
    });
    const role = await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
    assert.equal(role, "supplier");
  });

  it("returns a body that is not JSON as text or as a response", async () => {
    const qr = await admin().raw("get", "/v1/vouchers/{voucherId}/qr", {
      path: { voucherId },
      query: { format: "png" },
    });
    assert.equal(qr.headers.get("content-type"), "image/png");
    assert.ok((await qr.arrayBuffer()).byteLength > 100);
  });
});

describe("the client of an API that does not wait for blocks", () => {
  it("throws an error with the write's operation, which then gives the result", async () => {
    const world = await openWorld({ TX_WAIT_MS: "1" });
    try {
      const hearth = createClient({ baseUrl: world.baseUrl, key: testAdminKey });
      const body = { productId: "PROD-LATE", name: "Pot", category: "stove", unit: "piece" };
      const { anvil } = world.hearth.world;
      await anvil.pauseMining();
      const pending = await hearth.post("/v1/products", { body }).catch((error) => error);
      await anvil.resumeMining();
      assert.ok(pending instanceof PendingTransactionError, String(pending));
      const { result } = await hearth.operation<{ transactionHash: string }>(pending.operationId);
      assert.equal(result?.transactionHash, pending.transactionHash);
    } finally {
      await world.close();
    }
  });
});
