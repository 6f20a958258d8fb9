import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { withoutBrowser } from "../support/browser.ts";
import { type BrowserShare, shareBrowser } from "../support/shared-browser.ts";
import { findViolations } from "./axe.ts";

describe("the accessibility check of a page", { skip: withoutBrowser() }, () => {
  let browser: BrowserShare;
  before(async () => {
    browser = await shareBrowser();
  });
  after(() => browser?.close());

  it("finds violations in the page's current state on every run", async () => {
    const page = await (await browser.newContext()).newPage();
    await page.setContent('<html lang="en"><title>A</title><main><h1>Vouchers</h1><img src="data:,"></main></html>');
    const idsOf = async (values: string[], kind: "rule" | "tag") =>
      (await findViolations(page, values, kind)).map((each) => (each as { id: string }).id);
    assert.deepEqual(await idsOf(["wcag2a"], "tag"), ["image-alt"]);
    assert.deepEqual(await idsOf(["color-contrast"], "rule"), []);
    await page.evaluate(() => {
      document.querySelector("img")?.setAttribute("alt", "A picture");
      document.querySelector("h1")?.setAttribute("style", "color: #eee; background: #fff");
    });
    assert.deepEqual(await idsOf(["wcag2a"], "tag"), []);
    assert.deepEqual(await idsOf(["color-contrast"], "rule"), ["color-contrast"]);
  });

  it("refuses a page with a frame, which it would not check", async () => {
    const page = await (await browser.newContext()).newPage();
    await page.setContent('<html lang="en"><title>A</title><iframe srcdoc="<img>"></iframe></html>');
    await assert.rejects(findViolations(page, ["wcag2a"], "tag"), /has a frame/);
  });
});
