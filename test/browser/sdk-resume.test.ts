import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { withoutBrowser } from "../support/browser.ts";
import { isWhole, readAll, textOf } from "../support/oracle/streams.ts";
import { openSdkWorld, type SdkWorld, type Visitor } from "./sdk-world.ts";
import { spoken, words } from "./words.ts";

const count = 120;

describe("an answer that streams while the page is away", { skip: withoutBrowser() }, () => {
  let world: SdkWorld;
  before(async () => {
    world = await openSdkWorld();
  });
  after(() => world?.close());

  /**
   * Send a message and wait for the first part of the answer; returns the turn's id. The second part comes when the
   * test calls `goOn`.
   */
  const begin = async (visitor: Visitor) => {
    const rest = Promise.withResolvers<void>();
    const [first, second] = [words(count).slice(0, count / 2), words(count).slice(count / 2)];
    world.model.script = () => [{ text: first, delayMs: 20 }, { until: rest.promise }, { text: second, delayMs: 20 }];
    const chat = await visitor.openTab();
    await chat.say("Count");
    await chat.shows("w5");
    const { run } = (await (await visitor.ask("GET", `/sessions/${visitor.sessionId}/run`)).json()) as {
      run: { runId: string } | null;
    };
    assert.ok(run, "the turn ended too early for this test");
    return { chat, runId: run.runId, goOn: rest.resolve };
  };

  /** The turn's frames are complete, and each tab shows each word once, in order. */
  const whole = async (visitor: Visitor, runId: string) => {
    const frames = await readAll(await visitor.ask("GET", `/runs/${runId}?after=0`));
    assert.ok(isWhole(frames), "the digest is not that of the frames");
    assert.equal(textOf(frames), spoken(count));
  };

  const expected = ["human: Count", `ai: ${spoken(count)}`];

  it("continues after a reload in the middle, with nothing lost or repeated", async () => {
    const visitor = await world.visit();
    const { chat, runId, goOn } = await begin(visitor);
    await chat.page.reload();
    await chat.shows("w10");
    assert.notEqual((await chat.thread())[1], expected[1], "it was whole already: nothing was resumed");
    goOn();
    await chat.shows(`w${count - 1}`);
    await chat.settle();
    assert.deepEqual(await chat.thread(), expected);
    await whole(visitor, runId);
  });

  it("can be stopped after a reload", async () => {
    const visitor = await world.visit();
    const { chat } = await begin(visitor);
    await chat.page.reload();
    await chat.shows("w10");
    await chat.page.getByRole("button", { name: "Stop" }).click();
    await chat.settle();
    const [, shown = ""] = await chat.thread();
    assert.ok(shown.startsWith("ai: w0 w1 ") && shown.length < spoken(count).length, shown);
  });

  it("continues when the connection breaks, and sends no message twice", async () => {
    const visitor = await world.visit();
    const { chat, runId, goOn } = await begin(visitor);
    world.link.cut();
    await chat.shows("w40");
    world.link.cut();
    goOn();
    await chat.shows(`w${count - 1}`);
    await chat.settle();
    assert.deepEqual(await chat.thread(), expected);
    await whole(visitor, runId);
  });

  it("continues automatically when the device is online again", async () => {
    const visitor = await world.visit();
    const { chat, runId, goOn } = await begin(visitor);
    await chat.page.context().setOffline(true);
    world.link.cut();
    goOn();
    // The turn ends while the page is away.
    await readAll(await visitor.ask("GET", `/runs/${runId}?after=0`));
    const [, before = ""] = await chat.thread();
    assert.notEqual(before, expected[1]);
    await chat.page.context().setOffline(false);
    await chat.shows(`w${count - 1}`);
    await chat.settle();
    assert.deepEqual(await chat.thread(), expected);
    await chat.page.waitForSelector("main[data-connected=true]");
    await whole(visitor, runId);
  });

  it("is complete when a frozen tab wakes with dead connections", async () => {
    const visitor = await world.visit();
    const { chat, runId, goOn } = await begin(visitor);
    const devtools = await chat.page.context().newCDPSession(chat.page);
    await devtools.send("Page.setWebLifecycleState", { state: "frozen" });
    world.link.cut();
    goOn();
    // The turn ends while the page is away.
    await readAll(await visitor.ask("GET", `/runs/${runId}?after=0`));
    await devtools.send("Page.setWebLifecycleState", { state: "active" });
    await chat.shows(`w${count - 1}`);
    await chat.settle();
    assert.deepEqual(await chat.thread(), expected);
    await whole(visitor, runId);
  });

  it("streams in two tabs of one session at the same time", async () => {
    const visitor = await world.visit();
    const other = await visitor.openTab();
    const { chat, runId, goOn } = await begin(visitor);
    await other.shows("w10");
    assert.notEqual((await other.thread())[1], expected[1], "the other tab saw it only at its end");
    goOn();
    for (const tab of [chat, other]) {
      await tab.shows(`w${count - 1}`);
      await tab.settle();
      assert.deepEqual(await tab.thread(), expected);
    }
    await whole(visitor, runId);
  });
});
