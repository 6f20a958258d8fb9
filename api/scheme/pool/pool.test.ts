import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { encodeFunctionData, maxUint64 } from "viem";
import { poolAbi } from "../../../deployments/abi/pool.ts";
import { type Body, CARBON, openPoolTest, type PoolTest, supplierDid } from "../../../test/support/pool.ts";
import { rulesOf } from "../../../test/support/registry.ts";
import { type Amounts, quoteSwap, type Side } from "./arithmetic.ts";
import type { PoolResponse, Quote } from "./schemas.ts";
import { serializeSolvency } from "./serialize-pool.ts";

let t: PoolTest;
before(async () => {
  t = await openPoolTest();
});
after(() => t.close());

async function getPool(query = ""): Promise<PoolResponse> {
  const answer = await t.app.request(`/v1/pool${query}`);
  assert.equal(answer.status, 200);
  return (await answer.json()) as PoolResponse;
}

describe("GET /v1/pool", () => {
  it("tells everybody price, reserves and caps, and solvency at the block that it names", async () => {
    const pool = await getPool();
    assert.deepEqual(
      [pool.price, pool.fee, pool.buyPrice, pool.sellPrice, pool.paused, pool.reserves],
      [0.05, 0, 0.05, 0.05, false, { carbon: 1_000_000, stablecoin: 1_000_000 }],
    );
    assert.deepEqual(pool.caps, {
      perTransaction: null,
      perWindow: null,
      windowSeconds: 3_600,
      perDay: null,
      lifetime: null,
      perSupplierDay: null,
    });
    assert.equal(pool.stablecoin.address, t.deps.chain.addresses.stablecoin);
    const { solvency } = pool;
    assert.equal(solvency.solvent, true);
    assert.equal(solvency.blockNumber, pool.blockNumber);
    const { hash } = await t.deps.chain.client.getBlock({ blockNumber: BigInt(pool.blockNumber) });
    assert.equal(solvency.blockHash, hash);
  });

  it("tells what each cap leaves in either direction, exactly as the pool applies it", async () => {
    await t.setCaps({
      perTransaction: 50n * CARBON,
      perWindow: 100n * CARBON,
      perDay: 300n * CARBON,
      lifetime: 200n * CARBON,
      perSupplierDay: 90n * CARBON,
    });
    const sold = await t.swapSigned(t.supplier, { side: "sell", supplierDid, amountIn: 40, minOut: 0 });
    assert.equal(sold.status, 201, JSON.stringify(sold.body));
    const { capsLeft } = await getPool(`?supplierDid=${encodeURIComponent(supplierDid)}`);
    assert.deepEqual(capsLeft?.buy, { perTransaction: 50, perWindow: 100, perDay: 300, lifetime: 240, now: 50 });
    assert.deepEqual(capsLeft?.sell, {
      perTransaction: 50,
      perWindow: 60,
      perDay: 260,
      lifetime: 160,
      perSupplierDay: 50,
      now: 50,
    });
    assert.equal((await getPool()).capsLeft?.sell.perSupplierDay, 90);
    await t.setCaps();
  });

  it("says 404 for a supplier that nobody registered", async () => {
    assert.equal((await t.app.request("/v1/pool?supplierDid=did%3Ax%3Anobody")).status, 404);
  });

  it("is insolvent when counted stablecoin does not pay for all CARBON in escrow, or less is there than counted", async () => {
    const state = await t.deps.pool.reader.now();
    const judged = (changes: Partial<typeof state>) => {
      const { solvent, checks } = serializeSolvency({ ...state, ...changes });
      return [solvent, ...checks.map(({ status }) => status)];
    };
    const { reserves, held, price } = state;
    const most = (reserves.stablecoin * CARBON) / price;
    assert.deepEqual(judged({ escrowed: most }), [true, "ok", "ok", "ok"]);
    assert.deepEqual(judged({ escrowed: most + 20n }), [false, "ok", "ok", "violated"]);
    assert.deepEqual(judged({ held: { ...held, carbon: reserves.carbon - 1n } }), [false, "violated", "ok", "ok"]);
    const less = { ...held, stablecoin: reserves.stablecoin - 1n };
    assert.deepEqual(judged({ held: less }), [false, "ok", "violated", "ok"]);
  });

  it("never calls solvent what it could not compute", async () => {
    const state = await t.deps.pool.reader.now();
    const unknown = serializeSolvency({ ...state, held: { ...state.held, stablecoin: null } });
    assert.equal(unknown.solvent, null);
    assert.deepEqual(unknown.checks[1]?.status, null);
    assert.match(unknown.checks[1]?.reason ?? "", /did not give/);
    assert.equal(serializeSolvency({ ...state, escrowed: null }).obligations, null);
    assert.equal(serializeSolvency({ ...state, escrowed: null, held: { ...state.held, carbon: 0n } }).solvent, false);
  });
});

/** Simulate a swap in the pool's own code, without a block. */
async function executed(side: Side, amountIn: bigint): Promise<bigint> {
  const { client, addresses } = t.deps.chain;
  const account = side === "buy" ? t.implementer.address : t.supplier.address;
  const functionName = side === "buy" ? "buyCarbon" : "sellCarbon";
  const args = [1, amountIn, 0n, maxUint64] as const;
  const { result } = await client.simulateContract({
    abi: poolAbi,
    address: addresses.pool,
    functionName,
    args,
    account,
  });
  return result;
}

async function quote(body: Body): Promise<Quote> {
  const answer = await t.admin("POST", "/pool/quote", body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body as Quote;
}

describe("POST /v1/pool/quote", () => {
  it("says what execution gives, to the last digit, for any amount, side, price and fee", async () => {
    const { addresses } = t.deps.chain;
    for (const [account, token] of [
      [t.implementer, "stablecoin"],
      [t.supplier, "carbon"],
    ] as const) {
      const data = encodeFunctionData({ abi: approveAbi, functionName: "approve", args: [addresses.pool, maxUint64] });
      await t.sendAs(account.address, addresses[token], data);
    }
    const amount = fc.bigInt(1n, 10_000n * CARBON);
    for (const [fee, price] of [
      [0, 50_000n],
      [1, 49_999n],
      [250, 41_237n],
      [1_000, 49_321n],
    ] as const) {
      await t.council("setFee", fee);
      await t.council("setPrice", price);
      const property = fc.asyncProperty(fc.constantFrom<Side>("buy", "sell"), amount, async (side, amountIn) => {
        const { amountOut } = quoteSwap(side, { amountIn }, { price, fee: BigInt(fee) });
        if (amountOut > 0n) assert.equal(await executed(side, amountIn), amountOut);
        const said = amountOut > 0n ? await quote({ side, amountIn: inJson(amountIn) }) : undefined;
        if (said !== undefined) assert.equal(said.amountOut, Number(amountOut) / 1e6);
      });
      await fc.assert(property, { numRuns: 12 });
    }
    await t.council("setFee", 0);
    await t.council("setPrice", 50_000n);
  });

  it("names the least amount in for a wished amount out, for any price and fee", () => {
    const anyPricing = fc.record({ price: fc.bigInt(1n, 10n ** 12n), fee: fc.bigInt(0n, 1_000n) });
    fc.assert(
      fc.property(
        fc.constantFrom<Side>("buy", "sell"),
        fc.bigInt(1n, 2n ** 53n),
        anyPricing,
        (side, amountOut, pricing) => {
          const of = (amounts: Amounts) => quoteSwap(side, amounts, pricing).amountOut;
          const { amountIn } = quoteSwap(side, { amountOut }, pricing);
          assert.ok(of({ amountIn }) >= amountOut);
          assert.ok(of({ amountIn: amountIn - 1n }) < amountOut);
        },
      ),
    );
  });

  it("never lets a round trip gain", () => {
    const anyPricing = fc.record({ price: fc.bigInt(1n, 10n ** 12n), fee: fc.bigInt(0n, 1_000n) });
    fc.assert(
      fc.property(fc.bigInt(1n, 2n ** 53n), anyPricing, (amountIn, pricing) => {
        const bought = quoteSwap("buy", { amountIn }, pricing).amountOut;
        assert.ok(quoteSwap("sell", { amountIn: bought }, pricing).amountOut <= amountIn);
      }),
    );
  });

  it("tells price, fee and what the swap costs beyond the price", async () => {
    await t.council("setFee", 250);
    const bought = await quote({ side: "buy", amountOut: 100 });
    assert.deepEqual([bought.amountIn, bought.price, bought.fee, bought.feeAmount], [5.125, 0.05, 0.025, 0.125]);
    const sold = await quote({ side: "sell", amountIn: 100 });
    assert.deepEqual([sold.amountOut, sold.fee, sold.feeAmount], [4.875, 0.025, 0.125]);
    assert.deepEqual([sold.executable, sold.brokenRules], [true, []]);
    await t.council("setFee", 0);
  });

  it("names every rule that rules the swap out now", async () => {
    await t.setCaps({
      perTransaction: CARBON,
      perWindow: CARBON,
      perDay: CARBON,
      lifetime: 0n,
      perSupplierDay: CARBON,
    });
    await t.council("pause");
    const said = await quote({ side: "sell", amountIn: 100_000_000, supplierDid });
    assert.equal(said.executable, false);
    assert.deepEqual(said.brokenRules.map(({ rule }) => rule).sort(), [
      ...["day-cap", "lifetime-cap", "pool-open", "pool-reserve"],
      ...["supplier-day-cap", "transaction-cap", "window-cap"],
    ]);
    await t.council("unpause");
    await t.setCaps();
  });

  it("refuses what is worth nothing, out of range, or not one amount", async () => {
    const refused = async (body: Body) => {
      const answer = await t.admin("POST", "/pool/quote", body);
      return [answer.status, ...rulesOf(answer)];
    };
    assert.deepEqual(await refused({ side: "sell", amountIn: 0.000001 }), [400, "amount-positive"]);
    assert.deepEqual(await refused({ side: "sell", amountOut: 9_000_000_000 }), [400, "range"]);
    assert.deepEqual(await refused({ side: "sell" }), [400, "required"]);
    assert.deepEqual(await refused({ side: "sell", amountIn: 1, amountOut: 1 }), [400, "one-of", "one-of"]);
    assert.deepEqual(await refused({ side: "swap", amountIn: "1" }), [400, "one-of", "type"]);
    assert.deepEqual(await refused({ side: "sell", amountIn: 1, supplierDid: "did:x:nobody" }), [404]);
  });
});

const approveAbi = [
  {
    type: "function",
    name: "approve",
    stateMutability: "nonpayable",
    inputs: [{ type: "address" }, { type: "uint256" }],
    outputs: [{ type: "bool" }],
  },
] as const;

const inJson = (micro: bigint) => Number(micro) / 1e6;
