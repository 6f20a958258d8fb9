import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { runCommand } from "../../scripts/run-command.ts";
import { withoutBrowser } from "../support/browser.ts";
import { type Stack, stackAdminKey } from "../support/stack.ts";
import { assertAccessible, type ConsoleTest, desktop, goTo, phone, screenshot, signIn } from "./console.ts";
import { consoleRoutes } from "./console-routes.ts";
import { focusedName, tabTo } from "./keyboard.ts";
import { openSharedConsole } from "./shared-console.ts";
import { isSentence, shownTexts } from "./shown-texts.ts";
import { tellTheStory } from "./story.ts";
import { atRest } from "./waiting.ts";

const paths = ["/", "/no-such-page", ...(await consoleRoutes()).map(({ path }) => path)];

describe("every page of the console", { skip: withoutBrowser() }, () => {
  let test: ConsoleTest;
  let english: Page;
  let french: Page;
  /** Values of parameters, by name or by the whole path. */
  let values: Record<string, string> = {};

  before(async () => {
    test = await openSharedConsole();
    english = await test.open("", { size: phone });
    french = await test.open("", { size: phone, locale: "fr-FR" });
    await signIn(english);
    await signIn(french);
  });
  after(() => test?.close());

  const fill = (path: string) => {
    const [, name] = /\$(\w+)/.exec(path) ?? [];
    if (name === undefined) return path;
    const value = values[path] ?? values[name];
    assert.ok(value !== undefined, `${path} has a parameter: say in this test what stands for it`);
    return path.replace(`$${name}`, encodeURIComponent(value));
  };
  /** Open a page and wait until it is fully loaded. */
  async function show(page: Page, path: string): Promise<void> {
    await goTo(page, path);
    await atRest(page);
  }
  /** Check for one heading, a title, and no horizontal scrolling on a phone. */
  async function assertWellFormed(page: Page): Promise<void> {
    const { headings, title, beyond } = await page.evaluate(() => ({
      headings: [...document.querySelectorAll("h1")].map((each) => each.textContent ?? ""),
      title: document.title,
      beyond: document.documentElement.scrollWidth - window.innerWidth,
    }));
    assert.equal(headings.length, 1, `headings: ${headings.join(" | ")}`);
    assert.equal(title, `${headings[0]} · Hearth`);
    assert.ok(beyond <= 0, `${page.url()} is ${beyond} px wider than a phone`);
  }

  /** Controls lower than 44 px, which fingers would miss. A control inside a field has the field's height around it. */
  const smallTargets = (page: Page) =>
    page.locator("#content :is(button, a[role=button], input, select, textarea):visible").evaluateAll((all) =>
      all
        .filter((each) => each.closest("[role=row], [data-position]") === null)
        .filter((each) => !each.matches("[type=radio], [type=checkbox], [type=file]"))
        .filter((each) => each.getBoundingClientRect().height < 44)
        .map((each) => `${each.outerHTML.slice(0, 120)}: ${each.getBoundingClientRect().height} px`),
    );

  it("works in a new system without data", async () => {
    for (const path of paths.filter((each) => !each.includes("$"))) {
      await show(english, path);
      await assertWellFormed(english);
      await screenshot(english, `empty${nameOf(path)}`);
    }
  });

  describe("with an example scheme", () => {
    before(async () => {
      const { block, campaign, redemption } = await tellTheStory(test.stack);
      values = {
        id: block,
        campaignId: campaign,
        redemptionId: redemption,
        "/regulator/campaigns/$id": campaign,
        "/admin/council/$id": await proposeFee(test.stack),
        batchId: await makeCards(test.stack),
      };
      for (const page of [english, french]) await choosePeople(page);
    });

    for (const path of paths) {
      it(`shows ${path}`, async () => {
        const filled = fill(path);
        await Promise.all([english, french].map((page) => show(page, filled)));
        await assertWellFormed(english);
        await assertWellFormed(french);
        if (path.startsWith("/supplier")) assert.deepEqual(await smallTargets(english), []);
        const said = new Set((await shownTexts(english)).filter(isSentence));
        const left = (await shownTexts(french)).filter((text) => said.has(text));
        assert.deepEqual(left, [], "the French page says this in English");
        await assertAccessible(english);
        await picture(path);
      });
    }
  });

  describe("without a mouse", () => {
    let page: Page;
    before(async () => {
      page = await test.open();
      await signIn(page, await regulatorKey());
    });

    it("can be used from the skip link to a node of a trace and back", async () => {
      await page.reload();
      await show(page, "/");
      await page.locator("#content h1").waitFor();
      await page.keyboard.press("Tab");
      assert.equal(await focusedName(page), "Skip to the content");
      await page.keyboard.press("Enter");
      await tabTo(page, "Trace");
      assert.ok(await page.evaluate(() => document.activeElement?.closest("#content") !== null));
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "Trace" }).and(page.locator(":focus")).waitFor();
      await tabTo(page, "Id, serial or transaction");
      await page.keyboard.type(values.id ?? "");
      await page.keyboard.press("Enter");
      const node = `ITMO block ${values.id}`;
      await page.getByRole("button", { name: node }).waitFor();
      await tabTo(page, node);
      await page.keyboard.press("Enter");
      await page.getByRole("dialog").waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "hidden" });
      await page.getByRole("button", { name: node }).and(page.locator(":focus")).waitFor();
    });

    it("announces a page opened from the menu by its heading", async () => {
      await show(page, "/regulator/vouchers");
      await tabTo(page, "Certificates");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "Certificates" }).and(page.locator(":focus")).waitFor();
    });
  });

  /** A key that survives a reload, unlike an admin's. */
  async function regulatorKey(): Promise<string> {
    const headers = { authorization: `Bearer ${stackAdminKey}`, "content-type": "application/json" };
    const body = JSON.stringify({ role: "regulator", name: "regulator" });
    const response = await fetch(`${test.stack.url}/v1/keys`, { method: "POST", headers, body });
    return ((await response.json()) as { key: string }).key;
  }

  /** Choose the example's participants where a page asks for one. */
  async function choosePeople(page: Page): Promise<void> {
    for (const [kind, path] of [
      ["supplier", "/supplier/claims"],
      ["implementer", "/implementer/conversions"],
    ] as const) {
      await show(page, path);
      await page
        .locator("#content")
        .getByRole("combobox")
        .or(page.locator("#content input[aria-haspopup=listbox]"))
        .first()
        .click();
      await page.getByRole("option").first().click();
      await page.waitForFunction((name) => sessionStorage.getItem(name), `hearth.kept.participant.${kind}`);
    }
  }

  /** Save screenshots: on a phone and on a desktop, light and dark, in both languages. */
  async function picture(path: string): Promise<void> {
    if (!process.env.SCREENSHOTS) return;
    for (const [size, device] of [
      [phone, "phone"],
      [desktop, "desktop"],
    ] as const) {
      await french.setViewportSize(size);
      await english.setViewportSize(size);
      await english.emulateMedia({ colorScheme: device === "phone" ? "light" : "dark" });
      await Promise.all([english, french].map(atRest));
      await screenshot(english, `${device}-en${nameOf(path)}`);
      await screenshot(french, `${device}-fr${nameOf(path)}`);
    }
    await english.setViewportSize(phone);
    await french.setViewportSize(phone);
  }
});

const nameOf = (path: string): string => path.replaceAll("/", "-").replaceAll("$", "").replace(/-$/, "-home");

/** Make a batch of cards, and return its id. */
async function makeCards(stack: Stack): Promise<string> {
  const { body: listed } = await stack.call("GET", "/v1/implementers?limit=1");
  const [implementer] = listed.items as { did: string }[];
  const order = { implementerDid: implementer?.did, count: 12, language: "sw" };
  const { status, body } = await stack.call("POST", "/v1/card-batches", order);
  assert.equal(status, 201);
  return String(body.batchId);
}

/** Propose a decision to the council as one of its members; returns the proposal's id. */
async function proposeFee({ url, dataDir }: Stack): Promise<string> {
  const words = ["propose", "fee", "40", "--as", "council-1", "--yes"];
  const env = { PORT: new URL(url).port, DATA_DIR: dataDir };
  const { code, output } = await runCommand(process.execPath, ["scripts/pool.ts", ...words], { env, quiet: true });
  assert.equal(code, 0, output);
  const answer = await fetch(`${url}/v1/pool/proposals`);
  const { items } = (await answer.json()) as { items: { id: string }[] };
  return items[0]?.id ?? "";
}
