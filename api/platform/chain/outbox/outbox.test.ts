import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { keccak256, stringToBytes } from "viem";
import { createTestWorld, openTestChain, type TestWorld } from "../../../../test/support/chain.ts";
import { newWorkers } from "../../../../test/support/workers.ts";
import { AppError } from "../../errors.ts";
import type { Chain } from "../chain.ts";
import { eventsIn } from "../contracts.ts";
import { PendingTransactionError } from "../errors/pending-transaction-error.ts";
import { submitCall } from "../submit.ts";
import { Reconciler } from "./reconciler.ts";
import { findByHash, findById } from "./store.ts";

const account = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

describe("transaction outbox", () => {
  let world: TestWorld;
  let chain: Chain;
  let close: () => Promise<void>;
  before(async () => {
    world = await createTestWorld();
    ({ chain, close } = await openTestChain(world));
  });
  after(async () => {
    await close();
    await world.close();
  });

  const registerSupplier = (did: string, idempotencyKey?: string, review?: () => Promise<void>) =>
    submitCall(
      { chain },
      { idempotencyKey },
      {
        sender: "registrar",
        contract: "participants",
        functionName: "registerSupplier",
        args: [did, account, "Stove shop", "north"],
        purpose: "supplier.register",
        ...(review === undefined ? {} : { review }),
      },
    );

  it("answers with the block and the logs once the transaction is mined", async () => {
    const mined = await registerSupplier("did:test:supplier-1");
    const [event] = eventsIn(mined.logs, {
      contract: "participants",
      address: chain.addresses.participants,
      eventName: "SupplierRegistered",
    });
    assert.equal(event?.args.did, "did:test:supplier-1");
    assert.ok(mined.blockTimestamp > 0n);
    const row = await findByHash(chain.outbox.options.db, mined.transactionHash);
    assert.equal(row?.status, "mined");
    assert.equal(BigInt(row?.blockNumber ?? 0), mined.blockNumber);
    const past = await chain.past("participants", "SupplierRegistered", { supplier: event?.args.supplier ?? 0 });
    assert.equal(past[0]?.args.did, "did:test:supplier-1");
  });

  it("names the rule that the contract refuses for, and stores nothing", async () => {
    await registerSupplier("did:test:supplier-2");
    const before = await chain.outbox.options.db.$count((await import("../tables.ts")).chainTransactions);
    await assert.rejects(registerSupplier("did:test:supplier-2"), (error) => {
      assert.ok(error instanceof AppError);
      assert.equal(error.code, "CONFLICT");
      assert.equal(error.details[0]?.rule, "not-registered-before");
      return true;
    });
    const after = await chain.outbox.options.db.$count((await import("../tables.ts")).chainTransactions);
    assert.equal(after, before);
  });

  it("gives a repeat of the same idempotent request the first transaction's outcome", async () => {
    const id = randomUUID();
    const first = await registerSupplier("did:test:supplier-3", id);
    const second = await registerSupplier("did:test:supplier-3", id);
    assert.equal(second.transactionHash, first.transactionHash);
    assert.deepEqual(second.logs, first.logs);
  });

  it("gives two copies of the same idempotent request that run together one transaction", async () => {
    const id = randomUUID();
    const both = await Promise.all([1, 2].map(() => registerSupplier("did:test:supplier-4", id)));
    assert.equal(both[0]?.transactionHash, both[1]?.transactionHash);
  });

  it("reviews a call before its first transaction, and not at a repeat of the request", async () => {
    const id = randomUUID();
    let reviews = 0;
    const review = async () => {
      reviews += 1;
    };
    await registerSupplier("did:test:supplier-5", id, review);
    await registerSupplier("did:test:supplier-5", id, review);
    assert.equal(reviews, 1);
    const refuse = () => Promise.reject(new AppError("CONFLICT", "refused by the review"));
    await assert.rejects(registerSupplier("did:test:supplier-6", randomUUID(), refuse), /refused by the review/);
  });

  it("keeps the order of nonces when many are sent together", async () => {
    const dids = Array.from({ length: 30 }, (_, i) => `did:test:many-${i}`);
    const mined = await Promise.all(dids.map((did) => registerSupplier(did)));
    assert.equal(new Set(mined.map((each) => each.transactionHash)).size, dids.length);
    for (const did of dids) {
      const hash = keccak256(stringToBytes(did));
      assert.notEqual(await chain.read("participants", "supplierIndex", [hash]), 0);
    }
  });

  it("says 'refused on chain' in the rule's words when the state moved after the simulation", async () => {
    const racing = await Promise.allSettled(Array.from({ length: 3 }, () => registerSupplier("did:test:raced")));
    const refused = racing.filter((each) => each.status === "rejected").map((each) => each.reason);
    assert.equal(refused.length, 2);
    for (const error of refused) {
      assert.ok(error instanceof AppError, String(error));
      assert.equal(error.code, "CONFLICT");
    }
  });

  it("lets a request whose transaction was reverted be tried again under its id", async () => {
    const ids = [randomUUID(), randomUUID()];
    const racing = await Promise.allSettled(ids.map((id) => registerSupplier("did:test:raced-twice", id)));
    const loser = ids[racing.findIndex((each) => each.status === "rejected")];
    assert.ok(loser !== undefined);
    const mined = await registerSupplier("did:test:another-try", loser);
    assert.equal((await findByHash(chain.outbox.options.db, mined.transactionHash))?.status, "mined");
  });

  it("lets a caller go after TX_WAIT_MS and finishes the transaction itself", async () => {
    await world.anvil.pauseMining();
    chain.outbox.options.txWaitMs = 300;
    const thrown = await registerSupplier("did:test:late").catch((error: unknown) => error);
    chain.outbox.options.txWaitMs = 20_000;
    assert.ok(thrown instanceof PendingTransactionError, String(thrown));
    await world.anvil.resumeMining();
    for (let i = 0; i < 100; i++) {
      const row = await findByHash(chain.outbox.options.db, thrown.transactionHash);
      if (row?.status === "mined") return;
      await sleep(100);
    }
    assert.fail("the transaction was never settled");
  });

  it("raises the fee of what waits for too long, at the same nonce, and lets one version be mined", async () => {
    const { options } = chain.outbox;
    await world.anvil.pauseMining();
    options.txWaitMs = 200;
    const thrown = await registerSupplier("did:test:stuck").catch((error: unknown) => error);
    options.txWaitMs = 20_000;
    assert.ok(thrown instanceof PendingTransactionError, String(thrown));
    const { senders, outbox } = chain;
    const impatient = new Reconciler({
      outbox,
      senders,
      pace: { everyMs: 60_000 },
      raiseFeeAfterMs: 0,
      finalityBlocks: 30,
      startBlock: 0n,
      workers: newWorkers(),
    });
    await impatient.run({ full: true });
    const raised = await findById(options.db, thrown.transactionId);
    assert.notEqual(raised?.hash, thrown.transactionHash);
    assert.deepEqual(raised?.replacedHashes, [thrown.transactionHash]);
    await world.anvil.resumeMining();
    for (let i = 0; i < 100; i++) {
      await sleep(100);
      if ((await findById(options.db, thrown.transactionId))?.status === "mined") break;
    }
    const row = await findById(options.db, thrown.transactionId);
    assert.equal(row?.status, "mined");
    assert.notEqual(await chain.read("participants", "supplierIndex", [keccak256(stringToBytes("did:test:stuck"))]), 0);
    assert.notEqual(await chain.outbox.options.receipts.find(row?.hash as `0x${string}`), null);
  });
});
