import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { patience, withoutBrowser } from "../support/browser.ts";
import { stackAdminKey } from "../support/stack.ts";
import { assertAccessible, type ConsoleTest, phone, screenshot, signIn } from "./console.ts";
import { openSharedConsole } from "./shared-console.ts";
import { atRest } from "./waiting.ts";

describe("the console's shell", { skip: withoutBrowser() }, () => {
  let test: ConsoleTest;
  before(async () => {
    test = await openSharedConsole();
  });
  after(() => test?.close());

  /** Let the scripts that the page asks for from now on wait until the returned function is called. */
  async function holdScripts(page: Page): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    await page.route("**/console/assets/*.js", async (route) => {
      await promise;
      await route.continue();
    });
    return resolve;
  }

  const hasLine = (page: Page) =>
    page.evaluate(() => getComputedStyle(document.querySelector("#root") as Element, "::before").content !== "none");

  const storedBy = (page: Page) => page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));

  it("keeps an admin's key in the page only, whatever was chosen", async () => {
    const page = await test.open();
    await screenshot(page, "sign-in-desktop");
    await assertAccessible(page);
    await page.getByLabel("Remember on this device").check();
    await signIn(page);
    await page.getByRole("heading", { name: "Welcome" }).waitFor();
    await screenshot(page, "home-desktop");
    await assertAccessible(page);
    assert.ok(!page.url().includes(stackAdminKey));
    const state = await page.context().storageState({ indexedDB: true });
    for (const stored of [await storedBy(page), JSON.stringify(state)])
      assert.ok(!stored.includes(stackAdminKey), stored);
    await page.reload();
    await signIn(page);
    await page.getByRole("button", { name: "Administrator" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
  });

  it("keeps another key in the tab, and on the device only if chosen", async () => {
    const headers = { authorization: `Bearer ${stackAdminKey}`, "content-type": "application/json" };
    const body = JSON.stringify({ role: "regulator", name: "regulator" });
    const made = await fetch(`${test.stack.url}/v1/keys`, { method: "POST", headers, body });
    const { key } = (await made.json()) as { key: string };
    const page = await test.open();
    await signIn(page, key);
    assert.ok(!(await page.evaluate(() => JSON.stringify({ ...localStorage }))).includes(key));
    await page.reload();
    await page.getByRole("heading", { name: "Welcome" }).waitFor();
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole("heading", { name: "Hearth" }).waitFor();
    await other.getByLabel("Remember on this device").check();
    await signIn(other, key);
    const third = await page.context().newPage();
    await third.goto(page.url());
    await third.getByRole("heading", { name: "Welcome" }).waitFor();
  });

  it("fetches the code, styles and texts of the opened page immediately", async () => {
    const page = await test.open();
    await page.getByRole("button", { name: "Continue without a key" }).click();
    await page.getByRole("navigation").waitFor();
    await page.goto(`${test.stack.url}/console/regulator/vouchers`);
    await page.getByRole("heading", { name: "Vouchers", level: 1 }).waitFor();
    const { early, loaded } = await page.evaluate(() => {
      const assets = (urls: string[]) => urls.filter((url) => /\/assets\/.*\.(js|css)$/.test(url)).sort();
      const links = [...document.querySelectorAll<HTMLLinkElement>("link[href]")].map(({ href }) => href);
      const scripts = [...document.querySelectorAll<HTMLScriptElement>("script[src]")].map(({ src }) => src);
      const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
      return { early: assets([...links, ...scripts]), loaded: assets(loaded) };
    });
    assert.ok(early.some((url) => url.includes("/vouchers-page-")));
    assert.deepEqual(
      loaded.filter((url) => !early.includes(url)),
      [],
      "nothing is fetched only when other code asks for it",
    );
  });

  it("shows the sign-in page before any script has come, in the reader's language and colours", async () => {
    const page = await test.open("", { size: phone, locale: "fr-FR", colorScheme: "dark" });
    const release = await holdScripts(page);
    await page.reload({ waitUntil: "commit" });
    const guest = page.getByText("Continuer sans clé");
    await guest.waitFor();
    assert.equal(await page.locator("html").getAttribute("lang"), "fr");
    const look = () =>
      page.evaluate(() => {
        const { color, backgroundColor } = getComputedStyle(document.body);
        const field = document.querySelector("input[type=password]")?.getBoundingClientRect();
        return {
          color,
          backgroundColor,
          top: field?.top,
          left: field?.left,
          width: field?.width,
          height: field?.height,
        };
      });
    const before = await look();
    await screenshot(page, "first-paint-phone-fr-dark");
    assert.equal(await page.locator("input[type=password]").isEditable(), false, "what is typed now would be lost");
    release();
    await page.locator("#root:not([inert])").waitFor();
    assert.deepEqual(await look(), before);
    await guest.click();
    await page.getByRole("button", { name: "Menu" }).waitFor();
    // With a session, the sign-in page is never shown.
    const releaseAgain = await holdScripts(page);
    await page.reload({ waitUntil: "commit" });
    await page.getByRole("status").waitFor();
    assert.equal(await guest.count(), 0);
    releaseAgain();
    await page.getByRole("heading", { name: "Bienvenue" }).waitFor();
  });

  it("shows each page's title, purpose and navigation before any script has come, in the reader's language", async () => {
    const page = await test.open("", { locale: "fr-FR" });
    await page.getByRole("button", { name: "Continuer sans clé" }).click();
    await page.getByRole("heading", { name: "Bienvenue" }).waitFor();
    const release = await holdScripts(page);
    await page.goto(`${test.stack.url}/console/regulator/vouchers`, { waitUntil: "commit" });
    await page.getByRole("heading", { name: "Bons", level: 1 }).waitFor();
    const look = () =>
      page.evaluate(() => {
        const placeOf = (each: Element) => {
          const { x, y, width, height } = each.getBoundingClientRect();
          return { text: each.textContent, x, y, width, height };
        };
        const shown = "h1, h1 + p, nav a, nav section > p, header button, #content input";
        const active = document.querySelector("nav a[aria-current=page]")?.getAttribute("href");
        const { color, backgroundColor } = getComputedStyle(document.querySelector("nav a[data-active]") as Element);
        const parts = [...document.querySelectorAll(shown)].filter((each) => each.checkVisibility()).map(placeOf);
        return { parts, active, color, backgroundColor };
      });
    const before = await look();
    assert.equal(before.active, "/console/regulator/vouchers");
    assert.ok(
      before.parts.some(({ text }) => text === "Visiteur"),
      JSON.stringify(before.parts),
    );
    await screenshot(page, "vouchers-before-scripts-fr");
    assert.equal(await page.locator("#content input").first().isEditable(), false, "what is typed now would be lost");
    assert.ok(await hasLine(page), "a moving line shows that nothing works yet");
    release();
    await page.locator("#root:not([inert])").waitFor();
    assert.deepEqual(await look(), before);
    assert.ok(!(await hasLine(page)));
    // Filters in the address change what is below the title.
    const releaseAgain = await holdScripts(page);
    await page.goto(`${test.stack.url}/console/regulator/itmos?tab=conversions`, { waitUntil: "commit" });
    await page.getByRole("heading", { name: "ITMO", level: 1 }).waitFor();
    assert.equal(await page.getByRole("tab").count(), 0);
    releaseAgain();
    await page.getByRole("tab", { selected: true, name: "Conversions" }).waitFor();
    // The oracle's page has no button that opens the oracle.
    const releaseOnceMore = await holdScripts(page);
    await page.goto(`${test.stack.url}/console/chat`, { waitUntil: "commit" });
    await page.getByRole("heading", { level: 1 }).waitFor();
    const buttons = await page.locator("header button").evaluateAll((all) => all.map((each) => each.ariaLabel));
    releaseOnceMore();
    await page.locator("#root:not([inert])").waitFor();
    await atRest(page);
    assert.deepEqual(
      await page.locator("header button").evaluateAll((all) => all.map((each) => each.ariaLabel)),
      buttons,
    );
  });

  it("warns before any script has come that a key is lost with its tab, unless it is kept on the device", async () => {
    const page = await test.open();
    await page.getByRole("button", { name: "Continue without a key" }).click();
    await page.getByRole("heading", { name: "Welcome" }).waitFor();
    const warning = page.getByText("Your key is lost when this tab closes.");
    for (const path of ["/files/browse", "/chat"]) {
      const release = await holdScripts(page);
      await page.goto(`${test.stack.url}/console${path}`, { waitUntil: "commit" });
      await warning.waitFor();
      const before = await warning.boundingBox();
      release();
      await page.locator("#root:not([inert])").waitFor();
      await atRest(page);
      assert.deepEqual(await warning.boundingBox(), before, path);
    }
    await page.goto(`${test.stack.url}/console/files/keys`);
    const keep = page.getByRole("button", { name: "Keep on this device" });
    await keep.click();
    await page.getByRole("button", { name: "Keep it here" }).click();
    await keep.waitFor({ state: "detached" });
    const release = await holdScripts(page);
    await page.goto(`${test.stack.url}/console/files/browse`, { waitUntil: "commit" });
    await page.getByRole("heading", { name: "Files", level: 1 }).waitFor();
    assert.equal(await warning.count(), 0);
    release();
    await page.locator("#root:not([inert])").waitFor();
    await page.getByRole("tree").waitFor();
    assert.equal(await warning.count(), 0);
  });

  it("asks for the first page's public figures before any script has come, and only once", async () => {
    const page = await test.open();
    await page.getByRole("button", { name: "Continue without a key" }).click();
    await page.getByRole("heading", { name: "Welcome" }).waitFor();
    // Its own requests for the figures are over.
    await atRest(page);
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    const release = await holdScripts(page);
    const beforeScripts = page.waitForResponse("**/reports/summary");
    await page.reload({ waitUntil: "commit" });
    await beforeScripts;
    release();
    await page.getByRole("heading", { name: "Welcome" }).waitFor();
    await atRest(page);
    for (const path of ["/reports/summary", "/reports/double-counting"])
      assert.equal(asked.filter((each) => each === path).length, 1, path);
  });

  it("has an API reference and a GraphQL page that load nothing from other hosts and store no key", async () => {
    const page = await test.open();
    const hosts = new Set<string>();
    page.on("request", (request) => hosts.add(new URL(request.url()).origin));
    await page.goto(`${test.stack.url}/docs`);
    // It renders some hundred routes first.
    await page.getByRole("button", { name: "Authorize" }).click({ timeout: 3 * patience });
    await page.locator(".modal-ux input").first().fill(stackAdminKey);
    await page.locator(".modal-ux button.authorize").first().click();
    assert.ok(!(await storedBy(page)).includes(stackAdminKey));
    await page.goto(`${test.stack.indexerUrl}/graphql`);
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await page.getByText('"vouchers"').waitFor();
    await page.getByRole("button", { name: "List what can be asked" }).click();
    await page.getByText('"queryType"').waitFor();
    assert.deepEqual([...hosts].sort(), [test.stack.url, test.stack.indexerUrl].sort());
  });

  it("says why a key is refused", async () => {
    const page = await test.open();
    await page.getByLabel("API key").and(page.locator("input")).fill("hk_wrong");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("The API key is unknown, expired or revoked.").waitFor();
  });

  it("speaks French on a phone, and remembers the language", async () => {
    const page = await test.open("", { size: phone, reducedMotion: "no-preference" });
    await page.getByRole("button", { name: "Language" }).click();
    await page.getByRole("menuitem", { name: "Français" }).click();
    await page.getByRole("button", { name: "Continuer sans clé" }).click();
    await page.getByRole("heading", { name: "Bienvenue" }).waitFor();
    const account = await page.getByRole("banner").getByRole("button").last().boundingBox();
    assert.ok(account !== null && account.x + account.width <= phone.width, JSON.stringify(account));
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

  it("opens a menu by the keyboard, and gives the focus back to its button", async () => {
    const page = await test.open();
    const button = page.getByRole("button", { name: "Language" });
    await button.focus();
    for (const round of ["its code is loaded", "its code is there"]) {
      await page.keyboard.press("Enter");
      await page.getByRole("menuitem", { name: "English" }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("menuitem", { name: "English" }).waitFor({ state: "hidden" });
      assert.equal(await button.evaluate((each) => each === document.activeElement), true, round);
    }
  });

  it("shows the whole text of the passkey button on a phone, in French", async () => {
    const page = await test.open("", { size: phone, locale: "fr-FR" });
    // Passkeys need a host with a name.
    await page.goto(`${test.stack.url.replace("127.0.0.1", "localhost")}/console`);
    const words = page.getByRole("button", { name: "clé d’accès" }).locator(".mantine-Button-label");
    await words.waitFor();
    await screenshot(page, "sign-in-phone-fr");
    assert.ok(await words.evaluate((each) => each.scrollWidth <= each.clientWidth), "it is cut off");
  });

  it("offers languages in their own words, and shows its pages in each", async () => {
    const page = await test.open("", { size: phone });
    for (const [name, lang, guest] of [
      ["Português", "pt", "Continuar sem chave"],
      ["Kiswahili", "sw", "Endelea bila ufunguo"],
    ] as const) {
      await page.locator("button[aria-haspopup=menu]").first().click();
      await page.getByRole("menuitem", { name }).click();
      await page.getByRole("button", { name: guest }).waitFor();
      assert.equal(await page.locator("html").getAttribute("lang"), lang);
      assert.equal(await page.locator("html").getAttribute("dir"), "ltr");
      await screenshot(page, `sign-in-phone-${lang}`);
      await assertAccessible(page);
    }
    await page.getByRole("button", { name: "Endelea bila ufunguo" }).click();
    await page.getByRole("heading", { name: "Karibu" }).waitFor();
    assert.doesNotMatch((await page.locator("body").textContent()) ?? "", /\b(shell|common|home)\.\w+/);
  });
});
