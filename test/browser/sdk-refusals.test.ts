import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Hex } from "viem";
import { AppError } from "../../api/platform/errors.ts";
import { withoutBrowser } from "../support/browser.ts";
import { createTestWorld } from "../support/chain.ts";
import { openPaidOracle, openPayer, PRICE, until } from "../support/oracle/payments.ts";
import { openSdkWorld, type SdkWorld } from "./sdk-world.ts";

describe("refusals of an oracle, as a page sees them", { skip: withoutBrowser() }, () => {
  let world: SdkWorld;
  let owing: string[] = [];
  before(async () => {
    const requirePayment = async (): Promise<undefined> => {
      const ids = owing;
      if (ids.length === 0) return undefined;
      const extra = { claims: ids, outstandingClaims: ids, claimIds: ids };
      throw new AppError("PAYMENT_REQUIRED", "Pay for earlier messages first.", { extra });
    };
    world = await openSdkWorld({}, { requirePayment });
    world.model.script = () => [{ text: "Here you are." }];
  });
  after(() => world?.close());

  it("gives the app the unpaid claims, and accepts the message when they are paid", async () => {
    const visitor = await world.visit();
    const chat = await visitor.openTab();
    owing = ["CLM-1", "CLM-2"];
    await chat.say("Hello");
    await chat.page.waitForFunction(() => window.seen.claims.length > 0);
    assert.deepEqual((await chat.seen()).claims, [["CLM-1", "CLM-2"]]);
    assert.ok(
      (await chat.thread()).every((line) => line.startsWith("human: ")),
      "a sentence got into the thread",
    );
    owing = [];
    await chat.say("Hello again");
    await chat.shows("Here you are.");
    await chat.settle();
    assert.deepEqual((await chat.thread()).slice(-2), ["human: Hello again", "ai: Here you are."]);
    assert.equal((await chat.seen()).claims.length, 1);
  });

  it("is paid on chain by the page's wallet, and then accepts the refused message", async () => {
    const chain = await createTestWorld();
    const paid = await openPaidOracle(chain);
    try {
      const payer = await openPayer(chain, paid.deps);
      const visitor = await world.visitAt(paid);
      await visitor.expose("signTransactions", async (messages: { to: Hex; data: Hex }[]) => {
        for (const { to, data } of messages) await payer.send({ to, data, gas: 300_000n });
      });
      const chat = await visitor.openTab();
      await chat.say("What does it cost?");
      await chat.page.waitForFunction(() => window.seen.claims.length > 0);
      await chat.settle();
      const { claims } = await chat.seen();
      assert.match(claims.join(), /^CLM-[^,]+$/);
      assert.deepEqual(await chat.thread(), ["human: What does it cost?"]);
      const pay = chat.page.getByRole("button", { name: `Pay ${PRICE}` });
      await pay.click();
      await until(payer.depositOf, ({ balance }) => balance > 0n);
      await chat.say("What does it cost?");
      await chat.settle();
      assert.deepEqual((await chat.seen()).claims, claims, "payment was asked for twice");
      const thread = await chat.thread();
      assert.deepEqual([thread.length, thread[0]], [2, "human: What does it cost?"]);
      const listed = (await (await visitor.ask("GET", "/oracle/claims")).json()) as { items: { claimId: string }[] };
      assert.deepEqual([listed.items.map(({ claimId }) => claimId)], claims);
    } finally {
      await paid.close();
      await chain.close();
    }
  });

  it("is not caused by a delegation that expires while the page is open: a new one is minted", async () => {
    const visitor = await world.visit();
    const chat = await visitor.openTab({ invocation: false, lifetimes: { delegation: 4 } });
    await sleep(4_500);
    await chat.say("Hello");
    await chat.shows("Here you are.");
    await chat.settle();
    world.link.sever();
    await chat.page.waitForSelector("main[data-connected=false]");
    world.link.mend();
    await chat.page.waitForSelector("main[data-connected=true]");
    const { minted } = await chat.seen();
    assert.ok(minted.delegations >= 2 && minted.invocations === 0, JSON.stringify(minted));
  });

  it("is followed by one retry with new tokens, when a wrong clock had dated the old ones", async () => {
    const visitor = await world.visit();
    const chat = await visitor.openTab({ lifetimes: { delegation: 4, invocation: 4 }, believedSeconds: 600 });
    const before = (await chat.seen()).minted;
    await sleep(4_500);
    await chat.say("Hello");
    await chat.shows("Here you are.");
    await chat.settle();
    const { minted } = await chat.seen();
    assert.ok(minted.invocations > before.invocations, JSON.stringify([before, minted]));
    assert.deepEqual(await chat.thread(), ["human: Hello", "ai: Here you are."]);
  });
});
