import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import {
  createTestWorld,
  openTestChain,
  type TestWorld,
  withUnrestrictedSenders,
} from "../../../test/support/chain.ts";
import { AppError } from "../errors.ts";
import { BatchCollector, type BatchPlan } from "./batch.ts";
import type { Chain } from "./chain.ts";
import { eventsIn } from "./contracts.ts";
import { encodeCall } from "./submit.ts";

const account = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

/** Suppliers registered by `multicall`, which is reverted as a whole when one of them is registered already. */
describe("orders that share a transaction", () => {
  let world: TestWorld;
  let chain: Chain;
  let close: () => Promise<void>;
  before(async () => {
    world = await createTestWorld();
    const opened = await openTestChain(world);
    close = opened.close;
    chain = await withUnrestrictedSenders(opened.chain, world);
  });
  after(async () => {
    await close();
    await world.close();
  });

  const argsOf = (dids: string[]) => [
    dids.map((did) => encodeCall("participants", "registerSupplier", [did, account, "Shop", "north"])),
  ];
  const collect = (review: BatchPlan<string, string>["review"], batches: string[][] = []) =>
    new BatchCollector<string, string>(chain, {
      purpose: "supplier.register",
      sender: "registrar",
      contract: "participants",
      functionName: "multicall",
      maxOrders: 10,
      gatherMs: 5,
      gasOf: () => 300_000n,
      review,
      argsOf: (dids) => {
        batches.push(dids);
        return argsOf(dids);
      },
      read: ({ logs }) => {
        const address = chain.addresses.participants;
        const events = eventsIn(logs, { contract: "participants", address, eventName: "SupplierRegistered" });
        return events.map(({ args }) => args.did);
      },
    });
  const outcomes = async (collector: BatchCollector<string, string>, dids: string[]) => {
    const settled = await Promise.allSettled(dids.map((did) => collector.once(randomUUID(), async () => did)));
    return settled.map((each) => {
      if (each.status === "fulfilled") return each.value;
      assert.ok(each.reason instanceof AppError, String(each.reason));
      return each.reason.details[0]?.rule;
    });
  };

  it("are tried one by one once their transaction was reverted", async () => {
    const batches: string[][] = [];
    const collector = collect(async (dids) => dids.map(() => null), batches);
    const dids = ["did:test:a", "did:test:b", "did:test:a", "did:test:c"];
    const expected = ["did:test:a", "did:test:b", "not-registered-before", "did:test:c"];
    assert.deepEqual(await outcomes(collector, dids), expected);
    assert.deepEqual(
      batches.map(({ length }) => length),
      [4, 1, 1, 1, 1],
    );
  });

  it("are reviewed one by one when one spoils the common review", async () => {
    const from = chain.senders.registrar.address;
    const batches: string[][] = [];
    const collector = collect(async (dids) => {
      const data = encodeCall("participants", "multicall", argsOf(dids));
      await chain.client.call({ account: from, to: chain.addresses.participants, data });
      return dids.map(() => null);
    }, batches);
    const dids = ["did:test:d", "did:test:a", "did:test:e"];
    assert.deepEqual(await outcomes(collector, dids), ["did:test:d", "not-registered-before", "did:test:e"]);
    assert.deepEqual(batches, [["did:test:d", "did:test:e"]]);
  });
});
