import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import type { Hex } from "viem";
import { patience, withoutBrowser } from "../support/browser.ts";
import { createTestWorld, type TestWorld } from "../support/chain.ts";
import { type ModelServer, startModelServer } from "../support/model-server.ts";
import { openPaidOracle, openPayer, type PaidOracle } from "../support/oracle/payments.ts";
import { type BrowserShare, shareBrowser } from "../support/shared-browser.ts";
import { assertNoViolation, phone, screenshot } from "./console.ts";
import { type ExampleApp, serveExampleApp } from "./example-app.ts";
import { call, inSteps, load, slowCall } from "./scripts.ts";

const free = 2;
const bars = [
  { label: "Before", value: 6.2 },
  { label: "After", value: 3.1 },
];

describe("the SDK's example app", { skip: withoutBrowser() }, () => {
  const opened: { close: () => Promise<unknown> }[] = [];
  const keep = <T extends { close: () => Promise<unknown> }>(thing: T): T => {
    opened.unshift(thing);
    return thing;
  };
  let world: TestWorld;
  let model: ModelServer;
  let oracle: PaidOracle;
  let app: ExampleApp;
  let browser: BrowserShare;
  before(async () => {
    world = keep(await createTestWorld());
    model = keep(await startModelServer(() => [{ text: "Nothing is scripted." }]));
    const llm = { LLM_BASE_URL: model.url, LLM_MODEL: "scripted" };
    oracle = keep(await openPaidOracle(world, { ...llm, ORACLE_FREE_MESSAGES: `${free}` }));
    app = keep(await serveExampleApp(oracle.url));
    browser = keep(await shareBrowser());
  });
  after(async () => {
    for (const thing of opened) await thing.close();
  });

  /** Open the app as a new visitor, with a new profile and key. */
  async function visit(url = app.url, size = { width: 1280, height: 800 }): Promise<Page> {
    const context = await browser.newContext({ viewport: size, colorScheme: "light", reducedMotion: "reduce" });
    const page = await context.newPage();
    page.setDefaultTimeout(patience);
    await page.goto(url);
    return page;
  }
  const say = async (page: Page, text: string) => {
    await page.getByRole("textbox", { name: "Message" }).fill(text);
    await page.keyboard.press("Enter");
  };
  const said = (page: Page, text: string) => page.getByRole("listitem").filter({ hasText: text }).last().waitFor();
  const settled = (page: Page) => page.locator("main[data-status=ready]").waitFor();
  const isNoWider = (page: Page) =>
    page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);

  it("chats, shows which tools were used, and lets the oracle change the page's colours", async () => {
    const page = await visit();
    model.script = inSteps(load("weather"), call("get_current_weather", { city: "Lusaka" }), [{ text: "**Warm.**" }]);
    await page.getByRole("button", { name: "Weather in Lusaka" }).click();
    await said(page, "How is the weather in Lusaka now?");
    await page.getByText("Warm.").and(page.locator("strong")).waitFor();
    await page.locator("summary", { hasText: "get_current_weather" }).click();
    await page.getByText('"city": "Lusaka"').waitFor();
    await settled(page);
    await page.getByRole("button", { name: "How is the weather", exact: false }).first().waitFor();
    await assertNoViolation(page);
    model.script = inSteps(load("portal"), call("set_colours", { scheme: "dark" }), [{ text: "It is dark now." }]);
    await say(page, "Show this page in dark colours, please.");
    await said(page, "It is dark now.");
    assert.equal(await page.evaluate(() => document.documentElement.style.colorScheme), "dark");
    await assertNoViolation(page);
    await screenshot(page, "example-desktop");
  });

  it("draws a chart while its numbers stream in, and a component, on a phone", async () => {
    const page = await visit(app.url, phone);
    await page.getByRole("button", { name: "A bar chart" }).waitFor();
    const rest = Promise.withResolvers<void>();
    const chart = slowCall("show_bars", { title: "Fuel per day, kg", bars }, 12, rest.promise);
    model.script = inSteps(load("agui"), chart, [{ text: "Half as much." }]);
    await say(page, "Draw it as bars.");
    await page.locator("figure.bars[aria-busy=true]", { hasText: "Before" }).waitFor();
    assert.equal(await page.getByText("Half as much.").count(), 0);
    rest.resolve();
    await said(page, "Half as much.");
    assert.deepEqual(await page.locator("figure.bars[aria-busy=false] div").allTextContents(), [
      "Before6.2",
      "After3.1",
    ]);
    await settled(page);
    const gauge = { componentName: "Gauge", args: { label: "Fuel saved", value: 50 } };
    model.script = inSteps(load("agui"), call("render_component", gauge), [{ text: "There it is." }]);
    await say(page, "And a gauge.");
    await said(page, "There it is.");
    assert.equal(await page.getByRole("meter", { name: "Fuel saved" }).getAttribute("value"), "50");
    assert.ok(await isNoWider(page));
    await assertNoViolation(page);
    await page.getByRole("button", { name: "Sessions" }).click();
    await page.getByRole("button", { name: "New session" }).click();
    await page.getByRole("heading", { name: "Ask the oracle" }).waitFor();
    await screenshot(page, "example-phone");
  });

  it("asks for a deposit when free messages are used up, and continues when the wallet has paid", async () => {
    const payer = await openPayer(world, oracle.deps);
    const page = await visit();
    model.script = () => [{ text: "Here you are." }];
    for (let sent = 1; sent <= free; sent += 1) {
      await say(page, `Message ${sent}`);
      await page.waitForFunction((n) => document.querySelectorAll("li.ai").length === n, sent);
      await settled(page);
    }
    await say(page, "And now?");
    const dialog = page.getByRole("dialog", { name: "The oracle asks for payment" });
    await dialog.getByText(/^CLM-/).waitFor();
    await dialog.getByRole("button", { name: "Pay a deposit" }).click();
    await dialog.getByRole("alert").getByText("This browser has no wallet. Install one to pay.").waitFor();
    await assertNoViolation(page);
    await page.exposeFunction("askWallet", async (method: string, params: unknown[] = []) => {
      if (method === "eth_requestAccounts") return [payer.account.address];
      if (method !== "eth_sendTransaction") return await world.anvil.rpc(method, params);
      const { to, data } = params[0] as { to: Hex; data: Hex };
      return await payer.wallet.sendTransaction({ to, data, chain: null });
    });
    await page.evaluate(giveWallet);
    await dialog.getByRole("button", { name: "Pay a deposit" }).click();
    await dialog.waitFor({ state: "hidden" });
    assert.ok((await payer.depositOf()).balance > 0n);
    await say(page, "And now?");
    await page.waitForFunction((n) => document.querySelectorAll("li.ai").length === n, free + 1);
  });

  it("reports that no oracle answers, and retries on request", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    page.setDefaultTimeout(patience);
    await page.route("**/.well-known/did.json", (route) => route.abort("connectionrefused"));
    await page.goto(app.url);
    await page.getByRole("heading", { name: `No oracle answers at ${oracle.url}` }).waitFor();
    await page.unroute("**/.well-known/did.json");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "Ask the oracle" }).waitFor();
  });
});

/** Runs in the page: a wallet (EIP-1193) whose answers come from the test. */
function giveWallet(): void {
  type Ask = (method: string, params?: unknown[]) => Promise<unknown>;
  const { askWallet } = window as unknown as { askWallet: Ask };
  const request = ({ method, params }: { method: string; params?: unknown[] }) => askWallet(method, params);
  (window as unknown as { ethereum: unknown }).ethereum = { request };
}
