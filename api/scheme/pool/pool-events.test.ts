import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { encodeFunctionData, erc20Abi, type Hex, maxUint256, parseAbi } from "viem";
import {
  type Body,
  CARBON,
  implementerDid,
  openPoolTest,
  type PoolTest,
  signAll,
  supplierDid,
} from "../../../test/support/pool.ts";
import { rulesOf } from "../../../test/support/registry.ts";
import { openEventStream, type StreamedEvent } from "../../platform/events/stream.ts";
import type { Actor } from "../../platform/http/request-context.ts";
import type { SwapRecord, SwapToSign } from "./schemas.ts";

let t: PoolTest;
before(async () => {
  t = await openPoolTest();
});
after(() => t.close());

const buy: Body = { side: "buy", implementerDid, amountIn: 10, minOut: 200 };
const anyone = { keyId: "k", scopes: [], dids: null };

async function follow(actor: Omit<Actor, keyof typeof anyone> & Partial<Actor>) {
  const aborter = new AbortController();
  const stream = await openEventStream(t.deps, { actor: { ...anyone, ...actor } }, { signal: aborter.signal });
  return async (count: number): Promise<StreamedEvent["message"][]> => {
    const taken: StreamedEvent["message"][] = [];
    while (taken.length < count) {
      const next = await stream.next();
      if (next.done) break;
      taken.push(next.value.message);
    }
    aborter.abort();
    return JSON.parse(JSON.stringify(taken));
  };
}

describe("the events of the pool", () => {
  it("tell of a swap to its party, and of pause, price, fee, caps and treasury to everyone", async () => {
    const takeAll = await follow({ role: "admin" });
    const takeOwn = await follow({ role: "supplier", supplierDid });
    const swapped = (await t.swapSigned(t.implementer, buy)).body as SwapRecord;
    await t.council("setPrice", 51_000n);
    await t.council("setFee", 250);
    await t.setCaps({ perDay: CARBON });
    await t.council("pause");
    await t.council("unpause");
    await t.council("withdraw", t.deps.chain.addresses.carbon, t.supplier.address, CARBON);
    const events = await takeAll(7);
    const changes = ["pool.price_changed", "pool.fee_changed", "pool.caps_changed", "pool.paused", "pool.unpaused"];
    assert.deepEqual(
      events.map(({ type }) => type),
      ["pool.swap", ...changes, "pool.withdrawn"],
    );
    const [swap, price, fee, caps] = events.map(({ data }) => data);
    const { id, side, account, amountIn, amountOut, feeAmount } = swapped;
    assert.deepEqual(swap, { swapId: id, side, account, amountIn, amountOut, price: 0.05, feeAmount, implementerDid });
    assert.deepEqual([price, fee], [{ price: 0.051 }, { fee: 0.025 }]);
    const none = { perTransaction: null, perWindow: null, lifetime: null, perSupplierDay: null };
    assert.deepEqual(caps, { caps: { ...none, perDay: 1 } });
    assert.deepEqual(
      (await takeOwn(6)).map(({ type }) => type),
      [...changes, "pool.withdrawn"],
    );
    await t.council("setFee", 0);
    await t.council("setPrice", 50_000n);
    await t.setCaps();
  });
});

const modeAbi = parseAbi(["function setMode(uint8 mode)"]);
const modes = { honest: 0, feeOnTransfer: 1, returnsFalse: 2, reverts: 3, burnsGas: 5 } as const;

describe("a stablecoin that misbehaves", () => {
  let honest: Hex | undefined;
  const { stablecoin } = { stablecoin: () => t.deps.chain.addresses.stablecoin };
  const setMode = (mode: keyof typeof modes) =>
    t.sendAs(
      t.implementer.address,
      stablecoin(),
      encodeFunctionData({ abi: modeAbi, functionName: "setMode", args: [modes[mode]] }),
    );
  before(async () => {
    honest = await t.deps.chain.client.getCode({ address: stablecoin() });
    const file = new URL("../../../artifacts/contracts/mocks/HostileToken.sol/HostileToken.json", import.meta.url);
    const { deployedBytecode } = JSON.parse(readFileSync(file, "utf8"));
    await t.world.anvil.rpc("anvil_setCode", [stablecoin(), deployedBytecode]);
    const { pool } = t.deps.chain.addresses;
    const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [pool, maxUint256] });
    await t.sendAs(t.implementer.address, stablecoin(), data);
    // Its storage slots hold the other token's values.
    await setMode("honest");
  });
  after(() => t.world.anvil.rpc("anvil_setCode", [stablecoin(), honest]));
  let later = 0;
  const swapNow = (terms: Body = {}) =>
    t.swapSigned(t.implementer, { ...buy, deadline: 4_000_000_000 + ++later, ...terms });

  it("has no permit: the allowance comes first, and the order alone is signed", async () => {
    const answer = await t.swap({ ...buy, deadline: 4_200_000_000 });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const asked = answer.body as SwapToSign;
    assert.deepEqual(
      asked.typedData.map(({ name }) => name),
      ["order"],
    );
    const signatures = await signAll(t.implementer, asked);
    assert.equal((await t.swap({ ...buy, deadline: 4_200_000_000, signatures })).status, 201);
  });

  it("keeps a fee of a transfer: a minimum amount out refuses, and without one the event states what arrived", async () => {
    await setMode("feeOnTransfer");
    const refused = await swapNow();
    assert.deepEqual([refused.status, ...rulesOf(refused)], [409, "output-minimum"]);
    const swapped = (await swapNow({ minOut: 0 })).body as SwapRecord;
    assert.deepEqual([swapped.amountIn, swapped.amountOut], [9.7, 194]);
  });

  it("refuses in any way: no 500, no CARBON, and reserves that hold", async () => {
    const before = await t.deps.pool.reader.now();
    for (const [mode, status] of [
      ["returnsFalse", 503],
      ["reverts", 400],
      ["burnsGas", 400],
    ] as const) {
      await setMode(mode);
      const answer = await swapNow();
      assert.equal(answer.status, status, `${mode} ${JSON.stringify(answer.body)}`);
    }
    await setMode("honest");
    const { reserves, held } = await t.deps.pool.reader.now();
    assert.deepEqual(reserves, before.reserves);
    assert.ok((held.stablecoin ?? 0n) >= reserves.stablecoin);
  });
});
