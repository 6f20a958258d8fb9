import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { withoutBrowser } from "../support/browser.ts";
import { openSdkWorld, type SdkWorld } from "./sdk-world.ts";
import { sees } from "./waiting.ts";
import { spoken, words } from "./words.ts";

describe("a chat through the SDK in a browser", { skip: withoutBrowser() }, () => {
  let world: SdkWorld;
  before(async () => {
    world = await openSdkWorld();
  });
  after(() => world?.close());

  for (const streamingMode of ["batched", "immediate"] as const) {
    it(`shows an answer while it streams, and once when it is complete (${streamingMode})`, async () => {
      const visitor = await world.visit();
      const chat = await visitor.openTab({ streamingMode });
      const rest = Promise.withResolvers<void>();
      const [first, second] = [words(40).slice(0, 20), words(40).slice(20)];
      world.model.script = () => [{ text: first, delayMs: 15 }, { until: rest.promise }, { text: second, delayMs: 15 }];
      await chat.say("Count for me");
      await chat.shows("w3");
      const part = (await chat.thread()).at(-1) ?? "";
      assert.ok(part.length < spoken(40).length, "nothing was shown before the end");
      rest.resolve();
      await chat.settle();
      assert.deepEqual(await chat.thread(), ["human: Count for me", `ai: ${spoken(40)}`]);
      assert.deepEqual((await chat.seen()).statuses, ["ready", "submitted", "streaming", "ready"]);
      assert.deepEqual(chat.errors, []);
    });
  }

  it("shows the same thread after a reload", async () => {
    const visitor = await world.visit();
    const chat = await visitor.openTab();
    world.model.script = () => [{ text: "With **emphasis**." }];
    for (const text of ["One", "Two"]) {
      await chat.say(text);
      await chat.shows(text);
      await chat.settle();
    }
    const thread = await chat.thread();
    assert.equal(thread.length, 4);
    await chat.page.reload();
    await chat.shows("Two");
    assert.deepEqual(await chat.thread(), thread);
    assert.equal(await chat.page.locator("strong", { hasText: "emphasis" }).count(), 2);
  });

  it("stops an answer and keeps its text so far, in the page and on the server", async () => {
    const visitor = await world.visit();
    const chat = await visitor.openTab();
    // Without the stop, it would never end.
    world.model.script = () => [{ text: words(40), delayMs: 15 }, { until: new Promise(() => {}) }, { text: "end" }];
    await chat.say("Count far");
    await chat.shows("w5");
    await chat.page.getByRole("button", { name: "Stop" }).click();
    await chat.settle();
    const [, shown = ""] = await chat.thread();
    assert.match(shown, /^ai: w0 w1 .*w5/);
    await chat.page.reload();
    await chat.shows("w5");
    const [, kept = ""] = await chat.thread();
    assert.ok(kept.startsWith(shown), `kept "${kept}", shown was "${shown}"`);
    await sees(async () => world.model.aborted, 1);
  });

  it("reports an error of the model's server without adding it to the thread", async () => {
    const visitor = await world.visit();
    const chat = await visitor.openTab();
    world.model.script = () => [{ status: 400, body: { error: { message: "No such model" } } }];
    await chat.say("Hello");
    await chat.settle("error");
    assert.notEqual(await chat.page.locator("output").textContent(), "");
    assert.equal((await chat.thread())[0], "human: Hello");
    assert.ok(
      (await chat.thread()).every((line) => !/model/i.test(line)),
      (await chat.thread()).join("\n"),
    );
    world.model.script = () => [{ text: "Better now." }];
    await chat.say("Again");
    await chat.shows("Better now.");
    await chat.settle();
  });
});
