import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { withoutBrowser } from "../support/browser.ts";
import { stackAdminKey } from "../support/stack.ts";
import { assertAccessible, type ConsoleTest, openConsole, phone, screenshot, signIn } from "./console.ts";
import { atRest } from "./waiting.ts";

describe("the console's shell", { skip: withoutBrowser() }, () => {
  let test: ConsoleTest;
  before(async () => {
    test = await openConsole();
  });
  after(() => test?.close());

  it("signs in with an API key that stays in the tab and out of addresses", async () => {
    const page = await test.open();
    await screenshot(page, "sign-in-desktop");
    await assertAccessible(page);
    await signIn(page);
    await page.getByRole("heading", { name: "Welcome" }).waitFor();
    assert.ok(!page.url().includes(stackAdminKey));
    const stored = await page.evaluate(() => ({ local: { ...localStorage }, tab: { ...sessionStorage } }));
    assert.ok(!JSON.stringify(stored.local).includes(stackAdminKey));
    assert.ok(JSON.stringify(stored.tab).includes(stackAdminKey));
    await page.reload();
    await page.getByRole("heading", { name: "Welcome" }).waitFor();
    await screenshot(page, "home-desktop");
    await assertAccessible(page);
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole("heading", { name: "Hearth" }).waitFor();
    await page.getByRole("button", { name: "Administrator" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
    assert.ok(!JSON.stringify(await page.evaluate(() => ({ ...sessionStorage }))).includes(stackAdminKey));
  });

  it("remembers a key on the device only when that was chosen", async () => {
    const page = await test.open();
    await page.getByLabel("Remember on this device").check();
    await signIn(page);
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole("heading", { name: "Welcome" }).waitFor();
  });

  it("says why a key is not taken", async () => {
    const page = await test.open();
    await page.getByLabel("API key").and(page.locator("input")).fill("hk_wrong");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("The API key is unknown, expired or revoked.").waitFor();
  });

  it("speaks French on a phone, and remembers the language", async () => {
    const page = await test.open("", { size: phone });
    await page.getByRole("button", { name: "Language" }).click();
    await page.getByRole("menuitem", { name: "Français" }).click();
    await page.getByRole("button", { name: "Regarder sans clé" }).click();
    await page.getByRole("heading", { name: "Bienvenue" }).waitFor();
    await screenshot(page, "home-phone-fr");
    await assertAccessible(page);
    await page.reload();
    await page.getByRole("heading", { name: "Bienvenue" }).waitFor();
    assert.equal(await page.locator("html").getAttribute("lang"), "fr");
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("navigation").waitFor();
    await atRest(page);
    await screenshot(page, "menu-phone-fr");
    await assertAccessible(page);
  });
});
