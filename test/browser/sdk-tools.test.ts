import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { withoutBrowser } from "../support/browser.ts";
import { call, inSteps, load, slowCall } from "./scripts.ts";
import { openSdkWorld, type SdkWorld } from "./sdk-world.ts";
import { sees } from "./waiting.ts";

describe("tools of the page, called by the oracle", { skip: withoutBrowser() }, () => {
  let world: SdkWorld;
  before(async () => {
    world = await openSdkWorld();
  });
  after(() => world?.close());

  /** Results of the tools that the model received in the last turn. */
  const results = () => {
    const messages = world.model.requests.at(-1)?.messages ?? [];
    const begin = messages.findLastIndex(({ role }) => role === "user");
    return messages
      .slice(begin)
      .filter(({ role }) => role === "tool")
      .map(({ content }) => JSON.stringify(content));
  };

  it("runs one of the runtime's tools and shows the answer", async () => {
    const visitor = await world.visit();
    const chat = await visitor.openTab();
    world.model.script = inSteps(load("weather"), call("get_current_weather", { city: "Lusaka" }), [{ text: "Warm." }]);
    await chat.say("How is the weather?");
    await chat.shows("Warm.");
    await chat.settle();
    assert.match(results().at(-1) ?? "", /Lusaka/);
    assert.deepEqual(chat.errors, []);
  });

  it("runs a browser tool in the page once, and sends its result to the model", async () => {
    const visitor = await world.visit();
    const chat = await visitor.openTab();
    world.model.script = inSteps(load("portal"), call("read_heading", { level: 1 }), [{ text: "It says Kitchen." }]);
    await chat.say("What is on the page?");
    await chat.shows("It says Kitchen.");
    await chat.settle();
    assert.match(results().at(-1) ?? "", /Kitchen/);
    assert.deepEqual((await chat.seen()).runs, [{ name: "read_heading", args: { level: 1 } }]);
  });

  it("does not run a browser tool with arguments that its schema refuses", async () => {
    const visitor = await world.visit();
    const chat = await visitor.openTab();
    world.model.script = inSteps(load("portal"), call("read_heading", { level: 9 }), [{ text: "It cannot be read." }]);
    await chat.say("What is on the page?");
    await chat.shows("It cannot be read.");
    await chat.settle();
    assert.deepEqual((await chat.seen()).runs, []);
  });

  it("sends the model the error of a browser tool", async () => {
    const visitor = await world.visit();
    const chat = await visitor.openTab();
    world.model.script = inSteps(load("portal"), call("break_down", {}), call("break_down", {}), [{ text: "Broken." }]);
    await chat.say("Break");
    await chat.shows("Broken.");
    await chat.settle();
    assert.match(results().at(-1) ?? "", /The page has no stove/);
  });

  it("renders an action while its arguments stream in, handles it once, and renders it again after a reload", async () => {
    const visitor = await world.visit();
    const chat = await visitor.openTab();
    const args = { title: "Fuel per day", points: [5, 4, 3, 2, 1] };
    const rest = Promise.withResolvers<void>();
    world.model.script = inSteps(load("agui"), slowCall("draw_chart", args, 6, rest.promise), [{ text: "Drawn." }]);
    await chat.say("Draw it");
    await chat.page.locator("figure:not([data-status=done])", { hasText: "Fuel per day" }).waitFor();
    rest.resolve();
    await chat.shows("Drawn.");
    await chat.settle();
    const figure = chat.page.locator("figure[data-status=done]");
    await sees(() => figure.textContent(), "Fuel per day5 4 3 2 1");
    const { runs, renders } = await chat.seen();
    assert.deepEqual(runs, [{ name: "draw_chart", args }]);
    const early = renders.filter(
      ({ status, args: seen }) => status !== "done" && JSON.stringify(seen) !== JSON.stringify(args),
    );
    assert.ok(early.length > 0, "it was not drawn before all of its arguments were there");
    assert.match(results().at(-1) ?? "", /drawn/);
    await chat.page.reload();
    await chat.shows("Drawn.");
    await figure.waitFor();
    await sees(() => figure.textContent(), "Fuel per day5 4 3 2 1");
    assert.equal(await figure.count(), 1);
    assert.deepEqual((await chat.seen()).runs, []);
  });

  it("shows a component of the app, and nothing for an unknown one", async () => {
    const visitor = await world.visit();
    const chat = await visitor.openTab();
    const show = (componentName: string) =>
      call("render_component", { componentName, args: { label: "Pressure", value: 40 } });
    world.model.script = inSteps(load("agui"), show("Gauge"), show("Dial"), [{ text: "Look." }]);
    await chat.say("Show me");
    await chat.shows("Look.");
    await chat.settle();
    const meter = chat.page.getByLabel("Pressure");
    assert.equal(await meter.getAttribute("value"), "40");
    assert.equal(await chat.page.locator("meter").count(), 1);
    assert.doesNotMatch((await chat.thread()).join(), /Dial/);
  });

  it("keeps rendered components when the answer ends, and renders the same after a reload", async () => {
    const visitor = await world.visit();
    const chat = await visitor.openTab();
    const rest = Promise.withResolvers<void>();
    const gauge = (label: string) => call("render_component", { componentName: "Gauge", args: { label, value: 40 } });
    world.model.script = inSteps(
      load("agui"),
      [{ text: "Before. " }, ...gauge("Pressure")],
      [{ text: "Between. " }, ...call("draw_chart", { title: "Fuel", points: [1, 2] })],
      [{ text: "After" }, { until: rest.promise }, { text: [" a", " while", "."] }],
    );
    await chat.say("Show me");
    const meter = chat.page.getByLabel("Pressure");
    await meter.waitFor();
    await chat.shows("After");
    await meter.evaluate((element) => element.setAttribute("data-mark", "first"));
    assert.equal(await chat.page.locator("main").getAttribute("data-status"), "streaming");
    rest.resolve();
    await chat.shows("After a while.");
    await chat.settle();
    const read = async () => {
      await chat.page.waitForFunction(
        () => document.querySelector("[data-id^=sent-], [data-status=submitted]") === null,
      );
      return (await chat.page.locator("ol").innerHTML()).replace(' data-mark="first"', "");
    };
    const streamed = await read();
    assert.equal(await meter.getAttribute("data-mark"), "first", "the component was created again at the answer's end");
    assert.match(streamed, /Before\..*<meter.*Between\..*<figure.*After a while\./s);
    await chat.page.reload();
    await chat.shows("After a while.");
    await chat.page.locator("figure[data-status=done]").waitFor();
    assert.equal(await read(), streamed);
    assert.deepEqual(chat.errors, []);
  });
});
