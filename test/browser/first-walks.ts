import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { type PageOptions, phone, screenshot } from "./console.ts";
import type { TextsIn } from "./texts-in.ts";
import { atRest } from "./waiting.ts";
import type { Found, WalkPage } from "./walk-page.ts";

/** What the demo left to work with, as it printed it: a link for each role, and the ids of what waits. */
export type Demo = {
  links: Map<string, string>;
  voucherId: string;
  redemptionId: string;
  campaignId: string;
  conversionId: string;
};

/** Where and how a person walks. `text` finds the console's texts in the person's language. */
export type Walk = {
  test: { open: (path?: string, options?: PageOptions) => Promise<WalkPage> };
  demo: Demo;
  options: PageOptions;
  text: TextsIn;
  /** Of the pictures, and of what the person makes. */
  name: string;
};

/** Read what `npm run demo` printed. */
export function readDemo(output: string): Demo {
  const links = new Map([...output.matchAll(/^ {2}(\w+) +(http\S+join#\S+)$/gm)].map(([, role, url]) => [role, url]));
  const waiting = new Map([...output.matchAll(/^ {2}To (\w+) +([^ ,]+)/gm)].map(([, what, id]) => [what, id]));
  const idTo = (what: string) => String(waiting.get(what));
  return {
    links: links as Map<string, string>,
    voucherId: idTo("redeem"),
    redemptionId: idTo("claim"),
    campaignId: idTo("measure"),
    conversionId: idTo("decide"),
  };
}

/** A person at a page, who knows only the words on the screen. */
export class Person {
  readonly page: WalkPage;
  private readonly walk: Walk;
  private pictures = 0;

  constructor(page: WalkPage, walk: Walk) {
    this.page = page;
    this.walk = walk;
  }

  /** A text in this person's language. */
  text(english: string): RegExp {
    return this.walk.text(english);
  }

  async sees(english: string): Promise<void> {
    await this.page.locator("#content").getByText(this.text(english)).first().waitFor();
  }

  async seesHeading(english: string | RegExp): Promise<void> {
    const name = typeof english === "string" ? this.text(english) : english;
    await this.page.getByRole("heading", { level: 1, name }).waitFor();
  }

  async press(english: string): Promise<void> {
    await this.page
      .getByRole("button", { name: this.text(english) })
      .first()
      .click();
  }

  /** Type a text instead of what the field holds, key by key: in Firefox, React does not notice Playwright's `fill`. */
  async type(field: Found, text: string): Promise<void> {
    await field.press("ControlOrMeta+a");
    await field.pressSequentially(text);
  }

  async goTo(english: string): Promise<void> {
    const { page } = this;
    const menu = page.getByRole("button", { name: this.text("Menu"), exact: true });
    if (await menu.isVisible()) await menu.click();
    await page
      .getByRole("navigation")
      .getByRole("link", { name: this.text(english) })
      .first()
      .click();
  }

  /** Look at the page when nothing moves: it is no wider than the screen. */
  async looks(): Promise<void> {
    const { page, walk } = this;
    await atRest(page);
    this.pictures += 1;
    await screenshot(page, `${walk.name}-${this.pictures}`);
    const isWider = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
    assert.ok(!isWider, `${await page.url()} is wider than the screen`);
  }
}

export async function open(walk: Walk, path: string, options = walk.options): Promise<Person> {
  return new Person(await walk.test.open(path, options), walk);
}

/** Open a link as printed, and join on this device. */
export async function join(walk: Walk, link: string | undefined, options = walk.options): Promise<Person> {
  assert.ok(link !== undefined, "there is a link");
  const person = await open(walk, link.slice(link.indexOf("/console") + "/console".length), options);
  await person.press("Join on this device");
  await person.seesHeading("Welcome");
  return person;
}

/** Leaves the list of active vouchers open. */
export async function walkAsRegulator(walk: Walk): Promise<Person> {
  const person = await join(walk, walk.demo.links.get("regulator"));
  const { page } = person;
  const figure = (label: string) => page.locator("#content a").filter({ has: page.getByText(person.text(label)) });
  for (const label of ["Verified", "Issued as vouchers", "Spent by households", "Converted to ITMOs"])
    await figure(label).getByText(person.text("{{amount}} t CO₂e")).waitFor();
  await figure("Does it add up?").getByText(person.text("Yes")).waitFor();
  await person.looks();
  await page.getByRole("link", { name: person.text("conversion waits for the registry") }).click();
  await person.seesHeading("ITMOs");
  await page
    .getByRole("link", { name: person.text("Decide about {{id}}") })
    .first()
    .click();
  await person.press("Finalise the conversion");
  await page.getByRole("dialog").getByText(person.text("{{amount}} are burned. This cannot be undone.")).waitFor();
  await person.looks();
  await person.press("Cancel");
  await page.locator("header a").first().click();
  await person.seesHeading("Welcome");
  await figure("Spent by households").click();
  await person.seesHeading("Redemptions");
  await person.looks();
  await page.locator("header [aria-haspopup=dialog]").filter({ visible: true }).click();
  const dialog = page.getByRole("dialog");
  await person.type(dialog.getByRole("textbox"), "CERT-456");
  await dialog
    .getByRole("link", { name: /CERT-456(?!-)/ })
    .first()
    .waitFor();
  await person.looks();
  await dialog
    .getByRole("link", { name: /CERT-456(?!-)/ })
    .first()
    .click();
  await person.seesHeading("Trace");
  await page
    .getByRole("button", { name: /CERT-456(?!-)/ })
    .first()
    .waitFor();
  await person.looks();
  await person.goTo("Vouchers");
  await person.seesHeading("Vouchers");
  await page
    .getByRole("combobox", { name: person.text("Status") })
    .first()
    .selectOption("active");
  await person.looks();
  return person;
}

/** Save the table that a page shows, in a browser that is driven by Playwright. */
export async function saveAsXlsx(page: Page, text: TextsIn): Promise<void> {
  await page
    .getByRole("button", { name: text("Download {{table}}") })
    .first()
    .click();
  const saving = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "XLSX" }).click();
  const file = await saving;
  assert.match(file.suggestedFilename(), /\.xlsx$/);
  assert.equal((await readFile(await file.path())).subarray(0, 2).toString(), "PK");
}

export async function walkAsAdministrator(walk: Walk): Promise<void> {
  const person = await join(walk, walk.demo.links.get("admin"));
  const { page } = person;
  const shop = `Shop of ${walk.name}`;
  const product = `Gas stove of ${walk.name}`;
  await person.looks();
  await person.goTo("Implementers and suppliers");
  await page.getByText(person.text("Suppliers")).last().click();
  await person.press("Register a supplier");
  const dialog = page.getByRole("dialog");
  await person.type(dialog.getByRole("textbox", { name: person.text("Name") }), shop);
  await person.type(dialog.getByRole("textbox", { name: person.text("Account") }), newAccount());
  await person.looks();
  await dialog.getByRole("button", { name: person.text("Register") }).click();
  await page.getByRole("row").filter({ hasText: shop }).waitFor();
  await person.looks();
  await person.goTo("Products");
  await person.press("Register a product");
  await person.type(dialog.getByRole("textbox", { name: person.text("Name") }), product);
  await person.type(dialog.getByRole("textbox", { name: person.text("Product id") }), `PROD-${walk.name}`);
  await person.type(dialog.getByRole("textbox", { name: person.text("Category") }), "stove");
  await person.type(dialog.getByRole("textbox", { name: person.text("Unit") }), "piece");
  await person.looks();
  await dialog.getByRole("button", { name: person.text("Register") }).click();
  await page.getByRole("row").filter({ hasText: product }).waitFor();
  await person.looks();
  await person.goTo("People and keys");
  await person.type(page.getByRole("textbox", { name: person.text("Name") }), `Till of ${walk.name}`);
  await page.getByRole("combobox", { name: person.text("Role") }).selectOption("supplier");
  await page.getByRole("combobox", { name: person.text("Supplier") }).click();
  await page.getByRole("option", { name: shop }).click();
  await person.press("Make a link");
  await dialog.getByRole("img", { name: person.text("QR code of the invitation") }).waitFor();
  await person.looks();
  const link = (await dialog.locator("code").textContent()) ?? "";
  await dialog.getByRole("button", { name: person.text("Close") }).click();
  const supplier = await join(walk, link, { ...walk.options, size: phone });
  await supplier.page.getByRole("heading", { name: supplier.text("Your shop") }).waitFor();
  await supplier.looks();
  await person.goTo("Health");
  await person.sees("Everything works.");
  await person.looks();
  await person.goTo("Audit");
  // The API says in English what was done.
  await page.getByRole("row").filter({ hasText: "Register a supplier" }).first().waitFor();
  await person.looks();
}

export async function walkAsSupplier(walk: Walk): Promise<void> {
  const person = await join(walk, walk.demo.links.get("supplier"));
  const { page } = person;
  for (const label of ["Redeemed today", "Owed to you", "Paid so far"]) await person.sees(label);
  await person.looks();
  await person.goTo("Redeem");
  await person.type(page.getByRole("textbox", { name: person.text("Voucher") }), walk.demo.voucherId);
  await person.looks();
  await person.press("Look it up");
  await page.getByRole("combobox", { name: person.text("Product") }).click();
  await page.getByRole("option").first().click();
  const price = page.getByRole("group", { name: person.text("Price") });
  await price.getByText(person.text("The household pays")).waitFor();
  await price
    .getByText(/ZMW|K\s?\d/)
    .first()
    .waitFor();
  await person.type(page.getByRole("textbox", { name: person.text("Amount (CARBON)") }), "1");
  await page.getByRole("radio", { name: person.text("Without a signature") }).check();
  await person.looks();
  await page.getByRole("button", { name: person.text("Redeem"), exact: true }).click();
  await person.sees("Recorded on chain");
  await person.looks();
  await page.getByRole("link", { name: person.text("Receipt") }).click();
  await page
    .getByRole("region", { name: person.text("Receipt") })
    .getByText(walk.demo.voucherId)
    .waitFor();
  await page.getByRole("button", { name: person.text("Print") }).waitFor();
  await page.getByRole("button", { name: person.text("Send") }).waitFor();
  await person.looks();
  await person.goTo("Close the day");
  await page.getByRole("row").nth(1).waitFor();
  await person.looks();
}

export async function walkAsFieldTeam(walk: Walk): Promise<void> {
  const person = await join(walk, walk.demo.links.get("implementer"));
  const { page } = person;
  await page
    .getByRole("table", { name: person.text("Progress by village") })
    .first()
    .waitFor();
  await person.looks();
  await page.getByRole("link", { name: walk.demo.campaignId, exact: true }).click();
  await person.looks();
  await page.getByRole("link", { name: person.text("Next visit: {{household}}") }).click();
  await person.seesHeading("Enter a measurement");
  const household = await page.getByRole("combobox", { name: person.text("Household of the sample") }).inputValue();
  await person.looks();
  const days = page.getByRole("textbox", { name: person.text("Day {{day}}") });
  for (const day of await days.all()) await person.type(day, "3.1");
  await person.looks();
  await person.press("Use the sum: {{sum}} kg");
  await person.looks();
  await person.press("File the measurement");
  await page.getByText(household).first().waitFor();
  await page.getByRole("button", { name: person.text("Next visit: {{household}}") }).waitFor();
  await person.looks();
}

export async function walkToOracle(walk: Walk): Promise<void> {
  const person = await join(walk, walk.demo.links.get("evaluator"));
  const { page } = person;
  await person.goTo("Conversations");
  await page.getByText(person.text("No language model is connected.")).waitFor();
  await person.looks();
  await person.press("How many vouchers are active?");
  await page.getByText(person.text("No language model")).waitFor();
  await page.getByRole("table", { name: person.text("Vouchers by state") }).waitFor();
  await page.locator("section[aria-busy=false]").waitFor();
  await person.looks();
  await person.type(page.getByRole("textbox", { name: person.text("Message to the oracle") }), "What is CERT-456?");
  await page.keyboard.press("Enter");
  const answer = page.getByRole("article").last();
  await answer.getByRole("link", { name: "CERT-456" }).first().waitFor();
  await page.locator("section[aria-busy=false]").waitFor();
  await person.looks();
  assert.doesNotMatch((await page.locator("#content").textContent()) ?? "", /\/tool|\{"|load_capability/);
  await answer.getByRole("link", { name: "CERT-456" }).first().click();
  await person.seesHeading("Trace");
  // The conversation stays next to the trace, except on a phone, which it would cover.
  const panel = page.getByRole("complementary", { name: person.text("Oracle") });
  if (page.viewportSize()?.width === phone.width) await panel.waitFor({ state: "hidden" });
  else await panel.getByText("What is CERT-456?").waitFor();
  await person.looks();
}

/** The SDK's example app, which speaks English only. */
export async function walkAsAppDeveloper(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByText("LLM_BASE_URL=https://… LLM_MODEL=… LLM_API_KEY=… npm start").waitFor();
  await page.getByRole("textbox", { name: "Message" }).fill("How many vouchers are active?");
  await page.keyboard.press("Enter");
  await page
    .getByText(/vouchers are active/)
    .last()
    .waitFor();
  await page.locator("main[data-status=ready]").waitFor();
}

/** An account that nobody else has. */
const newAccount = () => privateKeyToAccount(generatePrivateKey()).address;
