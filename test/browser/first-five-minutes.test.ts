import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { withoutBrowser } from "../support/browser.ts";
import {
  assertAccessible,
  assertNoViolation,
  type ConsoleTest,
  desktop,
  type PageOptions,
  phone,
  screenshot,
} from "./console.ts";
import { serveExampleApp } from "./example-app.ts";
import {
  type Demo,
  readDemo,
  saveAsXlsx,
  walkAsAdministrator,
  walkAsAppDeveloper,
  walkAsFieldTeam,
  walkAsRegulator,
  walkAsSupplier,
  walkToOracle,
} from "./first-walks.ts";
import { openSharedConsole } from "./shared-console.ts";
import { tellTheStory } from "./story.ts";
import { textsIn } from "./texts-in.ts";

/** The walks of docs/first-five-minutes.md, each as its person starts: with a link of the demo, on the device that the page names. */
describe("the first five minutes of", { skip: withoutBrowser() }, () => {
  let test: ConsoleTest;
  let demo: Demo;
  let output: string;
  before(async () => {
    test = await openSharedConsole();
    ({ output } = await tellTheStory(test.stack));
    demo = readDemo(output);
  });
  afterEach(() => test?.closePages());
  after(() => test?.close());

  const walk = (name: string, options: PageOptions) => ({ test, demo, options, text: textsIn("en"), name });

  it("everyone: the demo ends with a link for each role and what waits, in one line a step", async () => {
    assert.ok(output.split("\n").length < 60, output);
    assert.deepEqual([...demo.links.keys()], ["regulator", "supplier", "implementer", "evaluator", "admin"]);
    const read = async (path: string) => (await test.stack.call("GET", `/v1${path}`)).body;
    assert.equal((await read(`/itmo/conversions/${demo.conversionId}`)).status, "requested");
    assert.equal((await read(`/campaigns/${demo.campaignId}`)).status, "drawn");
    assert.equal((await read(`/redemptions/${demo.redemptionId}`)).status, "pending_delivery");
  });

  it("anyone on this machine: the sign-in page shows the demo's open links, and says what to do with a used one", async () => {
    const visitor = await test.open();
    await visitor.getByText("Try the example scheme").waitFor();
    await screenshot(visitor, "sign-in-demo");
    await assertAccessible(visitor);
    const evaluator = visitor.getByRole("link", { name: "Evaluator" });
    const link = (await evaluator.getAttribute("href")) ?? "";
    await evaluator.click();
    await visitor.getByRole("button", { name: "Join on this device" }).click();
    await visitor.getByRole("heading", { name: "Welcome" }).waitFor();
    const other = await test.open();
    await other.getByRole("link", { name: "Regulator" }).waitFor();
    await other.getByRole("link", { name: "Evaluator" }).waitFor({ state: "detached" });
    await other.goto(`${test.stack.url}${link}`);
    await other.getByText("On this computer, npm run demo makes new links.").waitFor();
    await screenshot(other, "join-used-demo");
    await assertAccessible(other);
  });

  it("a regulator: the figures, the records behind one, a certificate's trace, the vouchers as XLSX", async () => {
    const { page } = await walkAsRegulator(walk("regulator", { size: desktop }));
    await saveAsXlsx(page as Page, textsIn("en"));
    await screenshot(page, "regulator-saved");
  });

  it("an administrator: lets a supplier in, who joins on a phone", () =>
    walkAsAdministrator(walk("administrator", { size: desktop })));

  it("a supplier on a phone: redeems a voucher, prints or sends the receipt, closes the day", () =>
    walkAsSupplier(walk("supplier", { size: phone })));

  it("a field team on a phone: visits the next household", () => walkAsFieldTeam(walk("field-team", { size: phone })));

  it("an app developer: the example app asks the oracle, and offers what works without a language model", async () => {
    const app = await serveExampleApp(test.stack.url);
    try {
      const page = await test.open("/no-such-page");
      await walkAsAppDeveloper(page, app.url);
      await assertNoViolation(page);
      await screenshot(page, "example-without-model");
      await page.getByRole("button", { name: "New session" }).click();
      await page.getByRole("button", { name: "Weather in Lusaka" }).click();
      await page.getByText(/In Lusaka it is usually/).waitFor();
      await page.locator("main[data-status=ready]").waitFor();
      await page.getByRole("button", { name: "New session" }).click();
      await page.getByRole("button", { name: "A bar chart" }).click();
      await page.locator("figure.bars[aria-busy=false]", { hasText: "Fuel per day, kg" }).waitFor();
    } finally {
      await app.close();
    }
  });

  it("someone who asks the oracle, without a language model: a card, a record's trace", async () => {
    const key = { role: "evaluator", name: "Asks the oracle" };
    const { body } = await test.stack.call("POST", "/v1/invitations", { key, validMinutes: 60 });
    // The demo's link was used above.
    demo.links.set("evaluator", String(body.url));
    await walkToOracle(walk("oracle", { size: desktop }));
  });
});
