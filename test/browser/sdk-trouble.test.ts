import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { withoutBrowser } from "../support/browser.ts";
import type { ChatPage } from "./chat-page.ts";
import { call, inSteps, load } from "./scripts.ts";
import { openSdkWorld, type SdkWorld, type Visitor } from "./sdk-world.ts";
import { sees } from "./waiting.ts";
import { spoken, words } from "./words.ts";

type Kept = { messages: { type: string; content: string }[] };

describe("a chat with failures", { skip: withoutBrowser() }, () => {
  let world: SdkWorld;
  before(async () => {
    world = await openSdkWorld();
  });
  after(() => world?.close());

  /** The oracle's messages of the conversation. */
  const kept = async ({ ask, sessionId }: Visitor) => {
    const { messages } = (await (await ask("GET", `/messages/${sessionId}`)).json()) as Kept;
    return messages.map(({ type, content }) => `${type}: ${content}`);
  };
  const runs = async (chat: ChatPage) => (await chat.seen()).runs.map(({ name }) => name);

  it("can be stopped during a tool of the page, and ignores the tool's later result", async () => {
    const visitor = await world.visit();
    const chat = await visitor.openTab();
    world.model.script = inSteps(load("portal"), call("hold_on", {}), [{ text: "Never said." }]);
    await chat.say("Hold on");
    await chat.page.waitForFunction(() => window.letGo !== undefined);
    await chat.page.getByRole("button", { name: "Stop" }).click();
    await chat.settle();
    await chat.page.evaluate(() => window.letGo?.());
    world.model.script = () => [{ text: "Here I am." }];
    await chat.say("Are you there?");
    await chat.shows("Here I am.");
    await chat.settle();
    assert.deepEqual(await runs(chat), ["hold_on"]);
    await chat.page.reload();
    await chat.shows("Here I am.");
    assert.ok((await kept(visitor)).every((line) => !line.includes("Never said")));
    assert.deepEqual(chat.errors, []);
  });

  it("sends a message written without a network once, when the network returns", async () => {
    const visitor = await world.visit();
    const chat = await visitor.openTab();
    world.model.script = () => [{ text: "It came." }];
    await chat.page.context().setOffline(true);
    world.link.cut();
    await chat.page.waitForSelector("main[data-connected=false]");
    await chat.say("From the field");
    await chat.shows("From the field");
    await chat.page.waitForSelector("main[data-status=submitted]");
    assert.deepEqual(await kept(visitor), []);
    await chat.page.context().setOffline(false);
    await chat.shows("It came.");
    await chat.settle();
    await sees(() => kept(visitor), ["human: From the field", "ai: It came."]);
    assert.deepEqual(await chat.thread(), ["human: From the field", "ai: It came."]);
  });

  it("ends when its session is deleted elsewhere, and reports that for the next message", async () => {
    const visitor = await world.visit();
    const chat = await visitor.openTab();
    world.model.script = () => [{ text: words(2_000), delayMs: 15 }];
    await chat.say("Count");
    await chat.shows("w5");
    const gone = await visitor.ask("DELETE", `/sessions/${visitor.sessionId}`);
    assert.equal(gone.status, 200);
    await chat.page.waitForFunction(
      () => !/submitted|streaming/.test(document.querySelector("main")?.dataset.status ?? ""),
    );
    await chat.say("Continue");
    await chat.settle("error");
    await chat.page.locator("output", { hasText: "no such session" }).waitFor();
    assert.ok((await chat.thread()).includes("human: Continue"), "the message is lost");
  });

  it("continues when its delegation expires during an answer and the connection breaks", async () => {
    const visitor = await world.visit();
    const chat = await visitor.openTab({ invocation: false, lifetimes: { delegation: 3 } });
    const { minted } = await chat.seen();
    let goOn = () => {};
    const until = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    world.model.script = () => [{ text: words(20) }, { until }, { text: " and the end" }];
    await chat.say("Count");
    await chat.shows("w19");
    // The page's tokens have expired by now.
    await new Promise((resolve) => setTimeout(resolve, 3_500));
    world.link.cut();
    await chat.page.waitForSelector("main[data-connected=false]");
    await chat.page.waitForSelector("main[data-connected=true]");
    goOn();
    await chat.shows("and the end");
    await chat.settle();
    assert.deepEqual(await chat.thread(), ["human: Count", `ai: ${spoken(20)} and the end`]);
    assert.ok((await chat.seen()).minted.delegations > minted.delegations);
  });

  it("runs a tool in one of two tabs: in the tab that asked, however slow, or in the other when that tab is closed", async () => {
    const visitor = await world.visit();
    const [asking, other] = [await visitor.openTab(), await visitor.openTab()];
    const reading = () => inSteps(load("portal"), call("read_heading", { level: 1 }), [{ text: "It says Kitchen." }]);
    world.model.script = reading();
    await asking.say("What is on the page?");
    for (const tab of [asking, other]) await tab.shows("It says Kitchen.");
    for (const tab of [asking, other]) await tab.settle();
    assert.deepEqual([await runs(asking), await runs(other)], [["read_heading"], []]);

    /** The model answers after `begin`. */
    const waitToBegin = () => {
      let begin = () => {};
      const until = new Promise<void>((resolve) => {
        begin = resolve;
      });
      const script = reading();
      world.model.script = async (request, turn) => [{ until }, ...(await script(request, turn))];
      return begin;
    };
    const beginSlowly = waitToBegin();
    await asking.say("And when you are slow?");
    await other.shows("And when you are slow?");
    await asking.page.evaluate(() => {
      setTimeout(() => {
        for (const until = Date.now() + 2_000; Date.now() < until; );
      });
    });
    beginSlowly();
    await sees(() => runs(asking), ["read_heading", "read_heading"]);
    for (const tab of [asking, other]) await tab.settle();
    assert.deepEqual(await runs(other), []);

    const begin = waitToBegin();
    await asking.say("And now?");
    await other.shows("And now?");
    await asking.page.close();
    begin();
    await sees(() => runs(other), ["read_heading"]);
    await other.settle();
    await sees(async () => (await kept(visitor)).at(-1), "ai: It says Kitchen.");
  });

  it("sends the agent the error of an action's handler, and renders the action as failed, also after a reload", async () => {
    const visitor = await world.visit();
    const chat = await visitor.openTab();
    world.model.script = inSteps(load("agui"), call("spoil_chart", { title: "Fuel" }), [{ text: "It failed." }]);
    await chat.say("Draw");
    await chat.shows("It failed.");
    await chat.settle();
    const told = JSON.stringify(world.model.requests.at(-1)?.messages.findLast(({ role }) => role === "tool"));
    assert.match(told, /There is no paper/);
    const figure = chat.page.locator("figure[data-status=error]", { hasText: "Fuel" });
    await figure.waitFor();
    await chat.page.reload();
    await figure.waitFor();
    assert.equal(await figure.count(), 1);
    assert.deepEqual(chat.errors, []);
  });

  it("reports why a message is too long, and receives and shows a very long answer", async () => {
    const visitor = await world.visit();
    const chat = await visitor.openTab();
    const most = 100_000;
    await chat.say("x".repeat(most + 1));
    await chat.settle("error");
    await chat.page.locator("output", { hasText: /100000/ }).waitFor();
    assert.deepEqual(await kept(visitor), []);
    const answer = `${"All of this is said. ".repeat(10)}\n\n`.repeat(1_000);
    world.model.script = () => [{ text: [answer, "The end."] }];
    await chat.say("y".repeat(most));
    await chat.shows("The end.");
    await chat.settle();
    await sees(
      async () => (await kept(visitor)).map((line) => line.length),
      ["human: ".length + most, "ai: ".length + answer.length + "The end.".length],
    );
  });
});
