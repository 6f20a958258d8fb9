import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { encodeDeployData, encodeFunctionData, erc20Abi, getContractAddress, type Hex, parseSignature } from "viem";
import { carbonAbi } from "../../../deployments/abi/carbon.ts";
import { poolAbi } from "../../../deployments/abi/pool.ts";
import {
  type Body,
  CARBON,
  implementerDid,
  keyOf,
  openPoolTest,
  type PoolTest,
  signAll,
  supplierDid,
} from "../../../test/support/pool.ts";
import type { Caller } from "../../../test/support/registry.ts";
import { type Answer, rulesOf } from "../../../test/support/registry.ts";
import type { SwapRecord, SwapToSign } from "./schemas.ts";

let t: PoolTest;
before(async () => {
  t = await openPoolTest();
});
after(() => t.close());

const buy: Body = { side: "buy", implementerDid, amountIn: 10, minOut: 200 };
const sell: Body = { side: "sell", supplierDid, amountIn: 10, minOut: 0.5 };
/** The terms of each body are a separate order. */
let later = 0;
const anew = (body: Body): Body => ({ ...body, deadline: 4_000_000_000 + ++later });

function record(answer: Answer): SwapRecord {
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body as SwapRecord;
}
function toSign(answer: Answer): SwapToSign {
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body as SwapToSign;
}
const verdict = (answer: Answer) => [answer.status, ...rulesOf(answer)];

describe("POST /v1/pool/swap", () => {
  it("asks for permit and order, then swaps by both, as quoted", async () => {
    const body = anew(buy);
    const asked = toSign(await t.swap(body));
    assert.deepEqual(
      asked.typedData.map(({ name, signer, primaryType }) => [name, signer, primaryType]),
      [
        ["permit", t.implementer.address, "Permit"],
        ["order", t.implementer.address, "BuyOrder"],
      ],
    );
    assert.deepEqual([asked.amountIn, asked.amountOut, asked.minOut], [10, 200, 200]);
    const [permit, order] = (await signAll(t.implementer, asked)) as [Hex, Hex];
    const before = await t.balance("carbon", t.implementer.address);
    const swapped = record(await t.swap({ ...body, signatures: { permit, order } }));
    assert.match(swapped.id, /^SWAP-/);
    assert.deepEqual(
      [swapped.side, swapped.implementerDid, swapped.amountIn, swapped.amountOut, swapped.price, swapped.feeAmount],
      ["buy", implementerDid, 10, 200, 0.05, 0],
    );
    assert.equal((await t.balance("carbon", t.implementer.address)) - before, 200n * CARBON);
    const { status, body: again } = await t.admin("GET", `/pool/swaps/${swapped.id}`);
    assert.deepEqual([status, again], [200, swapped]);
  });

  it("sells for a supplier, for a wished amount out", async () => {
    const before = await t.balance("stablecoin", t.supplier.address);
    const body = anew({ side: "sell", supplierDid, amountOut: 1.5, maxIn: 30 });
    const swapped = record(await t.swapSigned(t.supplier, body));
    assert.deepEqual([swapped.amountIn, swapped.amountOut, swapped.supplierDid], [30, 1.5, supplierDid]);
    assert.equal((await t.balance("stablecoin", t.supplier.address)) - before, 1_500_000n);
  });

  it("accepts a deadline as ISO 8601 as well, for the same order", async () => {
    const [seconds, iso] = [4_100_000_000, new Date(4_100_000_000_000).toISOString()];
    const [a, b] = [
      toSign(await t.swap({ ...buy, deadline: seconds })),
      toSign(await t.swap({ ...buy, deadline: iso })),
    ];
    assert.deepEqual(a.typedData, b.typedData);
    const signatures = await signAll(t.implementer, a);
    record(await t.swap({ ...buy, deadline: iso, signatures }));
  });

  it("skips a permit that was sent before", async () => {
    const body = anew(buy);
    const asked = toSign(await t.swap(body));
    const signatures = await signAll(t.implementer, asked);
    const { message } = asked.typedData[0] as { message: Record<string, string> };
    const { r, s, yParity } = parseSignature(signatures[0] as Hex);
    const { addresses } = t.deps.chain;
    const args = [
      message.owner,
      addresses.pool,
      BigInt(message.value ?? 0),
      BigInt(message.deadline ?? 0),
      27 + yParity,
      r,
      s,
    ];
    const data = encodeFunctionData({ abi: carbonAbi, functionName: "permit", args } as never);
    await t.sendAs(keyOf(99).address, addresses.stablecoin, data);
    record(await t.swap({ ...body, signatures }));
  });

  it("accepts a signed order with its amounts and nonce, whatever the current price is", async () => {
    const asked = toSign(await t.swap(anew({ side: "buy", implementerDid, amountOut: 200, maxIn: 10 })));
    const [permit, order] = await signAll(t.implementer, asked);
    const { amountIn, minOut, nonce, deadline } = asked;
    const body = { side: "buy", implementerDid, amountIn, minOut, deadline };
    record(await t.swap({ ...body, signatures: { order, permit, nonce } }));
  });

  it("passes over a permit that is none, and then asks for the allowance", async () => {
    const body = anew({ ...buy, amountIn: 20 });
    const [, order] = (await signAll(t.implementer, toSign(await t.swap(body)))) as [Hex, Hex];
    for (const last of ["00", "1b", "05", "ff"]) {
      const permit = `0x${"00".repeat(64)}${last}`;
      assert.deepEqual(verdict(await t.swap({ ...body, signatures: { permit, order } })), [409, "allowance"]);
    }
  });

  it("carries an order out once", async () => {
    const body = anew(buy);
    const signatures = await signAll(t.implementer, (await t.swap(body)).body);
    record(await t.swap({ ...body, signatures }));
    assert.deepEqual(verdict(await t.swap({ ...body, signatures })), [409, "order-unused"]);
  });

  it("carries out one of many identical swaps that arrive together", async () => {
    const body = anew(buy);
    const signatures = await signAll(t.implementer, (await t.swap(body)).body);
    const before = await t.balance("carbon", t.implementer.address);
    const answers = await Promise.all(Array.from({ length: 6 }, () => t.swap({ ...body, signatures })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409, 409, 409]);
    assert.equal((await t.balance("carbon", t.implementer.address)) - before, 200n * CARBON);
  });

  it("gives twenty identical requests of one Idempotency-Key one swap and one answer", async () => {
    const body = anew(buy);
    const signatures = await signAll(t.implementer, (await t.swap(body)).body);
    const before = await t.balance("carbon", t.implementer.address);
    const key = { "Idempotency-Key": "one-swap" };
    const answers = await Promise.all(Array.from({ length: 20 }, () => t.swap({ ...body, signatures }, key)));
    const [first] = answers.map(record);
    for (const answer of answers) assert.deepEqual(answer.body, first);
    assert.equal((await t.balance("carbon", t.implementer.address)) - before, 200n * CARBON);
  });

  it("finds a swap again whose answer was lost", async () => {
    const body = anew(buy);
    const signatures = await signAll(t.implementer, (await t.swap(body)).body);
    const request = { ...body, signatures };
    const key = { "Idempotency-Key": "lost-answer" };
    const first = record(await t.swap(request, key));
    const { db } = t.deps;
    await db.execute("update idempotency_records set status = 'running', lease_until = now() - interval '1 day'");
    const again = await t.swap(request, key);
    assert.deepEqual([record(again), again.headers.get("Idempotency-Replayed")], [first, null]);
  });

  it("hands out the account's own transactions, the allowance first", async () => {
    const { transactions } = toSign(await t.swap(anew({ ...sell, amountIn: 777 })));
    assert.deepEqual(
      transactions.map(({ contract, functionName }) => [contract, functionName]),
      [
        ["carbon", "approve"],
        ["pool", "sellCarbon"],
      ],
    );
    const [approve, swap] = transactions.map(({ transaction }) => transaction);
    assert.equal(swap?.nonce, (approve?.nonce ?? 0) + 1);
    for (const { transaction } of transactions) {
      const answer = await t.admin("POST", "/transactions", { signedTransaction: await signed(transaction) });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
    }
  });
});

async function signed({
  to,
  data,
  nonce,
  gas,
  maxFeePerGas,
  maxPriorityFeePerGas,
  chainId,
}: SwapToSign["transactions"][number]["transaction"]) {
  await t.world.anvil.rpc("anvil_setBalance", [t.supplier.address, "0xde0b6b3a7640000"]);
  const fees = { maxFeePerGas: BigInt(maxFeePerGas), maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas) };
  const call = { to: to as Hex, data: data as Hex, nonce, gas: BigInt(gas), chainId };
  return await t.supplier.signTransaction({ type: "eip1559", ...call, ...fees });
}

describe("prepared swaps", () => {
  it("need their allowance, and are relayed", async () => {
    const wanted = { action: "pool-sell", supplierDid, amountIn: 5, minOut: 0.25, deadline: 4_000_000_000 };
    assert.deepEqual(verdict(await t.admin("POST", "/transactions/prepare", wanted)), [409, "allowance"]);
    const { pool, carbon } = t.deps.chain.addresses;
    await t.sendAs(t.supplier.address, carbon, approveOf(pool, 5n * CARBON));
    const prepared = await t.admin("POST", "/transactions/prepare", wanted);
    const { transaction, functionName } = prepared.body as SwapToSign["transactions"][number];
    assert.equal(functionName, "sellCarbon", JSON.stringify(prepared.body));
    const relayed = await t.admin("POST", "/transactions", { signedTransaction: await signed(transaction) });
    assert.equal(relayed.status, 201, JSON.stringify(relayed.body));
    const bought = { action: "pool-buy", implementerDid, amountIn: 5, minOut: 101, deadline: 1 };
    const rules = ["allowance", "deadline", "output-minimum"];
    assert.deepEqual(verdict(await t.admin("POST", "/transactions/prepare", bought)), [409, ...rules]);
  });
});

describe("signed orders", () => {
  it("are cancelled by their account, suspended or not, and then settle nothing", async () => {
    const body = anew({ ...sell, amountIn: 3, minOut: 0 });
    const asked = toSign(await t.swap(body));
    const signatures = await signAll(t.supplier, asked);
    const wanted = { action: "pool-cancel-order", side: "sell", supplierDid, nonce: asked.nonce };
    const prepare = (changes: Body = {}) => t.admin("POST", "/transactions/prepare", { ...wanted, ...changes });
    const path = `/suppliers/${encodeURIComponent(supplierDid)}`;
    assert.equal((await t.admin("PATCH", path, { status: "suspended", reason: "test" })).status, 200);
    const { transaction, functionName } = (await prepare()).body as SwapToSign["transactions"][number];
    assert.equal(functionName, "cancelOrder");
    const relayed = await t.admin("POST", "/transactions", { signedTransaction: await signed(transaction) });
    assert.equal(relayed.status, 201, JSON.stringify(relayed.body));
    assert.equal((await t.admin("PATCH", path, { status: "authorised", reason: "test" })).status, 200);
    assert.deepEqual(verdict(await t.swap({ ...body, signatures })), [409, "order-unused"]);
    assert.deepEqual(verdict(await prepare()), [409, "order-unused"]);
    assert.equal((await prepare({ side: "buy", supplierDid: undefined, implementerDid })).status, 200);
    assert.equal((await prepare({ supplierDid: "did:x:nobody" })).status, 404);
    const own = await t.as("implementer", { implementerDid });
    assert.equal((await own("POST", "/transactions/prepare", wanted)).status, 403);
  });
});

const approveOf = (spender: Hex, amount: bigint) =>
  encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spender, amount] });

describe("who may swap", () => {
  it("is decided by the account's signature", async () => {
    const body = anew(buy);
    const [permit] = (await signAll(t.implementer, (await t.swap(body)).body)) as [Hex];
    const [, order] = (await signAll(keyOf(99), (await t.swap(body)).body)) as [Hex, Hex];
    const forged = await t.swap({ ...body, signatures: { permit, order } });
    assert.deepEqual(verdict(forged), [403, "signature-valid"]);
    const other = await t.swap({
      ...body,
      amountIn: 11,
      signatures: await signAll(t.implementer, (await t.swap(body)).body),
    });
    assert.deepEqual(verdict(other), [403, "signature-valid"]);
  });

  it("is not a key that acts for another, or lacks the scope", async () => {
    const asked = async (call: Caller, body: Body) => (await call("POST", "/pool/swap", anew(body))).status;
    const own = await t.as("implementer", { implementerDid });
    assert.deepEqual([await asked(own, buy), await asked(own, sell)], [200, 403]);
    const other = await t.as("implementer", { implementerDid: "did:ixo:implementer/2" });
    assert.equal(await asked(other, buy), 403);
    assert.equal(await asked(await t.as("evaluator"), buy), 403);
    assert.equal(await asked(await t.as("integrator", { scopes: ["vouchers:read"] }), buy), 403);
    assert.equal(await asked(await t.as("integrator", { scopes: ["pool:swap"] }), sell), 200);
    assert.equal(await asked(await t.as("integrator", { scopes: ["pool:swap"], dids: ["did:x:y"] }), buy), 403);
    assert.deepEqual(verdict(await t.swap({ ...buy, implementerDid: "did:x:nobody" })), [404, "implementer-exists"]);
    assert.deepEqual(verdict(await t.swap({ ...sell, supplierDid: "did:x:nobody" })), [404, "supplier-exists"]);
  });

  it("includes accounts that are contracts (ERC-1271), which sign no permit", async () => {
    const did = "did:ixo:implementer/wallet";
    const wallet = await deployWallet(keyOf(7).address);
    await t.admin("POST", "/implementers", { did, account: wallet, name: "Wallet" });
    await t.giveStablecoin(wallet, 1_000n * CARBON);
    const body = anew({ ...buy, implementerDid: did });
    const asked = toSign(await t.swap(body));
    assert.deepEqual(
      asked.typedData.map(({ name }) => name),
      ["order"],
    );
    const [approve] = asked.transactions;
    const signatures = await signAll(keyOf(7), asked);
    assert.deepEqual(verdict(await t.swap({ ...body, signatures })), [409, "allowance"]);
    await t.sendAs(wallet, approve?.transaction.to as Hex, approve?.transaction.data as Hex);
    const swapped = record(await t.swap({ ...body, signatures }));
    assert.equal(swapped.account, wallet);
    const stranger = await t.swap({ ...anew(body), signatures: await signAll(keyOf(8), asked) });
    assert.ok(rulesOf(stranger).includes("signature-valid"), JSON.stringify(stranger.body));
  });

  it("is not a suspended supplier", async () => {
    const did = "did:ixo:supplier/suspended";
    await t.admin("POST", "/suppliers", { did, account: keyOf(12).address, name: "Shop" });
    const path = `/suppliers/${encodeURIComponent(did)}`;
    assert.equal((await t.admin("PATCH", path, { status: "suspended", reason: "test" })).status, 200);
    assert.deepEqual(verdict(await t.swap({ ...sell, supplierDid: did })), [403, "supplier-authorised"]);
  });
});

async function deployWallet(owner: Hex): Promise<Hex> {
  const file = new URL("../../../artifacts/contracts/mocks/WalletMock.sol/WalletMock.json", import.meta.url);
  const { abi, bytecode } = JSON.parse(readFileSync(file, "utf8"));
  const { client } = t.deps.chain;
  const from = keyOf(98).address;
  const nonce = await client.getTransactionCount({ address: from });
  const code = encodeDeployData({ abi, bytecode, args: [owner] });
  await t.sendAs(from, undefined, code);
  return getContractAddress({ from, nonce: BigInt(nonce) });
}

/** The name of the error with which the pool refuses; undefined if it would swap. */
async function poolsOwnError(body: Body): Promise<string | undefined> {
  const { client, addresses } = t.deps.chain;
  const side = body.side === "buy";
  const account = side ? t.implementer.address : t.supplier.address;
  const args = [1, micro(body.amountIn), micro(body.minOut), BigInt(Number(body.deadline))] as const;
  const call = {
    abi: poolAbi,
    address: addresses.pool,
    functionName: side ? "buyCarbon" : "sellCarbon",
    args,
    account,
  } as const;
  try {
    await client.simulateContract(call);
    return undefined;
  } catch (error) {
    return /Error: (\w+)\(/.exec((error as Error).message)?.[1];
  }
}
const micro = (amount: unknown) => BigInt(Math.round(Number(amount) * 1e6));

const full = {
  perTransaction: 1_000n * CARBON,
  perWindow: 100_000n * CARBON,
  perDay: 100_000n * CARBON,
  lifetime: 10n ** 15n,
};

describe("the rules of the pool, as the pool itself applies them", () => {
  const now = async () => Number((await t.deps.chain.latest()).timestamp);
  type Case = [
    name: string,
    set: () => Promise<unknown>,
    body: Body,
    status: number,
    rule: string | undefined,
    error: string | undefined,
  ];
  const cap = (change: object) => () => t.setCaps({ ...full, ...change });
  const cases: Case[] = [
    ["all holding, to buy", cap({}), buy, 200, undefined, undefined],
    ["all holding, to sell", cap({}), sell, 200, undefined, undefined],
    ["a swap's cap, met", cap({ perTransaction: 200n * CARBON }), buy, 200, undefined, undefined],
    [
      "a swap's cap",
      cap({ perTransaction: 200n * CARBON - 1n }),
      buy,
      400,
      "transaction-cap",
      "TransactionCapExceeded",
    ],
    [
      "a swap's cap, selling",
      cap({ perTransaction: 10n * CARBON - 1n }),
      sell,
      400,
      "transaction-cap",
      "TransactionCapExceeded",
    ],
    ["a window's cap", cap({ perWindow: 0n }), { ...buy, amountIn: 500_000 }, 503, "window-cap", "WindowCapExceeded"],
    ["a day's cap", cap({ perDay: 0n }), { ...buy, amountIn: 500_000 }, 503, "day-cap", "DayCapExceeded"],
    [
      "a lifetime's cap",
      cap({ lifetime: 0n }),
      { ...buy, amountIn: 500_000 },
      400,
      "lifetime-cap",
      "LifetimeCapExceeded",
    ],
    ["a supplier's day", cap({ perSupplierDay: CARBON }), sell, 503, "supplier-day-cap", "SupplierCapExceeded"],
    ["a pause", () => t.council("pause"), sell, 503, "pool-open", "PoolPaused"],
    ["a deadline", () => t.council("unpause"), { ...buy, deadline: 1 }, 400, "deadline", "DeadlinePassed"],
    ["slippage, buying", async () => {}, { ...buy, minOut: 200.000001 }, 409, "output-minimum", "OutputBelowMinimum"],
    ["slippage, selling", async () => {}, { ...sell, minOut: 0.500001 }, 409, "output-minimum", "OutputBelowMinimum"],
    ["worth", async () => {}, { ...sell, amountIn: 0.000001, minOut: 0 }, 400, "amount-positive", "AmountTooSmall"],
  ];
  before(async () => {
    const { addresses } = t.deps.chain;
    await t.sendAs(t.implementer.address, addresses.stablecoin, approveOf(addresses.pool, 10n ** 15n));
    await t.sendAs(t.supplier.address, addresses.carbon, approveOf(addresses.pool, 10n ** 15n));
  });
  after(() => t.setCaps());
  for (const [name, set, terms, status, rule, error] of cases) {
    it(`tell of ${name}`, async () => {
      await set();
      const unbounded = { perTransaction: 2n ** 60n, perWindow: 2n ** 60n, perDay: 2n ** 60n };
      if (Number(terms.amountIn) > 1_000) await t.setCaps({ ...unbounded, ...only(name) });
      const body = { deadline: (await now()) + 3_600, ...terms };
      const answer = await t.swap(body);
      assert.equal(answer.status, status, JSON.stringify(answer.body));
      assert.equal(await poolsOwnError(body), error);
      if (rule !== undefined) assert.ok(rulesOf(answer).includes(rule), JSON.stringify(answer.body));
    });
  }
  const only = (name: string) => ({
    [name.includes("window") ? "perWindow" : name.includes("day") ? "perDay" : "lifetime"]: 0n,
  });

  it("tell of a dry pool, in either direction", async () => {
    await t.setCaps();
    const all = { ...buy, amountIn: 900_000, minOut: 0 };
    assert.deepEqual(verdict(await t.swap(anew(all))), [503, "pool-reserve"]);
    assert.equal(await poolsOwnError(anew(all)), "PoolDry");
    const { stablecoin } = t.deps.chain.addresses;
    const { reserves } = await t.deps.pool.reader.now();
    await t.council("withdraw", stablecoin, keyOf(97).address, reserves.stablecoin);
    assert.deepEqual(verdict(await t.swap(anew(sell))), [503, "pool-reserve"]);
    assert.equal(await poolsOwnError(anew(sell)), "PoolDry");
    await t.giveStablecoin(t.deps.chain.addresses.pool, reserves.stablecoin);
    await t.council("takeIn");
  });

  it("are all named in one answer, state before rules", async () => {
    await t.setCaps({ perTransaction: 0n });
    const body = { ...buy, amountIn: 9_000_000, minOut: 9_000_000_000, deadline: 1 };
    assert.deepEqual(verdict(await t.swap(body)), [
      409,
      ...["balance", "deadline", "output-minimum", "pool-reserve", "transaction-cap"],
    ]);
    await t.setCaps();
  });

  it("keep maxIn: a swap that costs more is refused", async () => {
    const dear = anew({ side: "buy", implementerDid, amountOut: 200, maxIn: 9.999999 });
    assert.deepEqual(verdict(await t.swap(dear)), [409, "input-maximum"]);
  });

  it("refuse bodies that say too little or too much, naming each field", async () => {
    const paths = async (body: Body) => {
      const answer = await t.admin("POST", "/pool/swap", body);
      assert.equal(answer.status, 400, JSON.stringify(answer.body));
      return (answer.body as { details: { path: string }[] }).details.map(({ path }) => path).sort();
    };
    const deadline = 4_000_000_000;
    assert.deepEqual(await paths({ side: "buy", deadline }), ["amountIn", "implementerDid"]);
    assert.deepEqual(await paths({ ...buy, deadline, maxIn: 1 }), ["maxIn"]);
    assert.deepEqual(await paths({ side: "sell", implementerDid, amountIn: 1, minOut: 1, deadline }), [
      "implementerDid",
      "supplierDid",
    ]);
    assert.deepEqual(await paths({ ...buy, deadline: "soon", minOut: "1", more: 1 }), ["deadline", "minOut", "more"]);
    assert.deepEqual(await paths({ ...buy, deadline, signatures: { permit: "0x00" } }), ["signatures"]);
  });
});
