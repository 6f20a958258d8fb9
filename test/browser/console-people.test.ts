import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { createTestClient, http, parseEther } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { withoutBrowser } from "../support/browser.ts";
import { koboToken, startKoboPeer } from "../support/kobo-peer.ts";
import { withPassword } from "../support/odk-digest.ts";
import { usePhone } from "../support/odk-phone.ts";
import {
  assertAccessible,
  assertNoViolation,
  type ConsoleTest,
  desktop,
  goTo,
  phone,
  screenshot,
  signIn,
} from "./console.ts";
import { openSharedConsole } from "./shared-console.ts";
import { tellTheStory } from "./story.ts";
import { sees } from "./waiting.ts";
import { BrowserWallet } from "./wallet.ts";

describe("people who join", { skip: withoutBrowser() }, () => {
  let test: ConsoleTest;
  let admin: Page;
  before(async () => {
    test = await openSharedConsole();
    // Before these tests move the chain's time.
    await tellTheStory(test.stack);
    admin = await test.open();
    await signIn(admin);
  });
  after(() => test?.close());

  const path = (link: string) => link.slice(link.indexOf("/console") + "/console".length);

  /** Fill in the invitation's form and return the link that is shown. */
  async function invite(name: string, role: string, participant?: string): Promise<string> {
    await goTo(admin, "/admin/people");
    await admin.getByRole("textbox", { name: "Name" }).fill(name);
    await choose(admin, "Role", role);
    if (participant !== undefined) await choose(admin, role, participant);
    await admin.getByRole("button", { name: "Make a link" }).click();
    const dialog = admin.getByRole("dialog");
    await dialog.getByRole("img", { name: "QR code of the invitation" }).waitFor();
    const link = (await dialog.locator("code").textContent()) ?? "";
    await screenshot(admin, `invitation-${role}`);
    await dialog.getByRole("button", { name: "Close" }).click();
    return link;
  }

  async function choose(page: Page, field: string, option: string): Promise<void> {
    const list = page.getByRole("combobox", { name: field, exact: true });
    // Short lists are the browser's.
    if (await list.and(page.locator("select")).isVisible()) return void (await list.selectOption({ label: option }));
    await list.click();
    await page.getByRole("option", { name: option }).click();
  }

  it("lets an administrator register an implementer, a supplier and a product from the screen", async () => {
    await goTo(admin, "/admin/participants");
    for (const [kind, shown, name, digit] of [
      ["Implementers", "implementer", "Clean Kitchens", "1"],
      ["Suppliers", "supplier", "Stove Shop", "2"],
    ] as const) {
      await admin.getByText(kind, { exact: true }).click();
      await admin.getByRole("button", { name: `Register ${kind === "Suppliers" ? "a" : "an"} ${shown}` }).click();
      const dialog = admin.getByRole("dialog");
      await dialog.getByLabel("Name").fill(name);
      await dialog.getByLabel("Account").fill("0x12");
      await dialog.getByRole("button", { name: "Register" }).click();
      await dialog.getByText("Enter an address: 0x and 40 digits.").waitFor();
      await dialog.getByLabel("Account").fill(`0x${digit.repeat(40)}`);
      await dialog.getByRole("button", { name: "Register" }).click();
      await admin.getByRole("row").filter({ hasText: name }).waitFor();
    }
    await screenshot(admin, "participants");
    await goTo(admin, "/admin/products");
    await admin.getByRole("button", { name: "Register a product" }).click();
    const dialog = admin.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Gas stove");
    await dialog.getByLabel("Product id").fill("PROD-PEOPLE");
    await dialog.getByLabel("Category").fill("stove");
    await dialog.getByLabel("Unit").fill("piece");
    await dialog.getByRole("button", { name: "Register" }).click();
    await admin.getByRole("button", { name: "Withdraw Gas stove", exact: true }).click();
    await admin.getByRole("button", { name: "Approve Gas stove", exact: true }).waitFor();
    await admin.getByRole("button", { name: "Set a price Gas stove", exact: true }).click();
    const price = admin.getByRole("dialog");
    await price.getByLabel("Price of 1 piece").fill("450,505");
    await price.getByRole("button", { name: "Save" }).click();
    await price.getByText("Choose a currency.").waitFor();
    await price.getByLabel("Currency").and(price.locator("input")).fill("Zambian");
    await admin.getByRole("option", { name: /ZMW/ }).click();
    await price.getByRole("button", { name: "Save" }).click();
    await price.getByText("Amounts in ZMW have at most 2 decimals.").waitFor();
    await price.getByLabel("Price of 1 piece").fill("450,5");
    await price.getByLabel("CARBON that 1 piece takes").fill("60");
    await screenshot(admin, "price-dialog");
    await price.getByRole("button", { name: "Save" }).click();
    await admin.getByRole("button", { name: /ZMW\s450\.50 Gas stove/ }).waitFor();
    await screenshot(admin, "products");
  });

  it("lets an administrator set up a plan, an issuer, a registry and a device", async () => {
    await goTo(admin, "/admin/issuers");
    await admin.getByRole("button", { name: "Trust an issuer" }).click();
    const dialog = admin.getByRole("dialog");
    const fill = async (label: string, value: string) => await dialog.getByLabel(label, { exact: true }).fill(value);
    await fill("DID *", "no DID");
    await dialog.getByRole("button", { name: "Trust", exact: true }).click();
    await dialog.getByText("Enter a DID, such as did:key:z6Mk….").waitFor();
    await fill("DID *", "did:example:people-issuer");
    await dialog.getByRole("button", { name: "Trust", exact: true }).click();
    const issuer = admin.getByRole("row").filter({ hasText: "did:example:people-issuer" });
    await issuer.getByText("Trusted").waitFor();
    await screenshot(admin, "issuers");

    await goTo(admin, "/admin/plans");
    await admin.getByRole("button", { name: "Register a plan" }).click();
    await fill("Plan id *", "PLAN-PEOPLE");
    await choose(admin, "Implementer", "Clean Kitchens");
    await fill("From *", "2026-01-01");
    await fill("Until *", "2025-01-01");
    await fill("Limit without consent", "5");
    await dialog.getByRole("button", { name: "More settings" }).click();
    await fill("Claims drawn for review, in per cent", "5");
    await screenshot(admin, "plan-dialog");
    await dialog.getByRole("button", { name: "Register" }).click();
    await dialog.getByText("The end must not be before the start.").waitFor();
    await fill("Until *", "2027-12-31");
    await dialog.getByRole("button", { name: "Register" }).click();
    await admin.getByRole("row").filter({ hasText: "PLAN-PEOPLE" }).filter({ hasText: "5 CARBON" }).waitFor();
    const { body: plan } = await test.stack.call("GET", "/v1/monitoring-plans/PLAN-PEOPLE");
    assert.deepEqual([plan.reviewShare, plan.claimWindowHours], [0.05, 336]);
    await screenshot(admin, "plans");

    await goTo(admin, "/admin/registries");
    await admin.getByRole("button", { name: "Record a registry" }).click();
    await fill("Name *", "People Standard");
    await fill("Source *", "https://standard.example");
    await dialog.getByRole("button", { name: "Record", exact: true }).click();
    await admin.getByRole("row").filter({ hasText: "People Standard" }).waitFor();
    for (const [press, state] of [
      ["Close the list", "The list is closed"],
      ["Open the list", "The list is open"],
    ] as const) {
      await admin.getByRole("button", { name: press }).click();
      await fill("Decision *", "Regulator, 2 March 2026");
      await dialog.getByRole("button", { name: press }).click();
      await admin.getByText(state, { exact: false }).waitFor();
    }
    await screenshot(admin, "registries");

    await test.stack.call("POST", "/v1/households", { did: "did:ixo:household/people" });
    await goTo(admin, "/admin/devices");
    await admin.getByRole("button", { name: "Register a device" }).click();
    await fill("Serial *", "STOVE-PEOPLE");
    await fill("Model *", "Two burners");
    await fill("Household *", "did:ixo:household/people");
    // Which plan is suggested depends on what other tests have registered.
    await dialog.getByRole("combobox", { name: "Monitoring plan" }).click();
    await admin.getByRole("option", { name: "PLAN-PEOPLE" }).click();
    await dialog.getByRole("button", { name: "Register" }).click();
    await admin.getByRole("button", { name: "Retire STOVE-PEOPLE" }).click();
    await dialog.getByRole("button", { name: "Retire" }).click();
    await admin.getByRole("button", { name: "Retire STOVE-PEOPLE" }).waitFor({ state: "detached" });
    await screenshot(admin, "devices");

    await goTo(admin, "/admin/issuers");
    await admin.getByRole("button", { name: "End trust did:example:people-issuer" }).click();
    await dialog.getByRole("button", { name: "End trust" }).click();
    await issuer.getByText("Ended").waitFor();
  });

  it("sets up a phone by a QR code, shows why its records were refused, deletes one and corrects another", async () => {
    await test.stack.call("POST", "/v1/households", { did: "did:ixo:household/twice" });
    await goTo(admin, "/admin/collectors");
    await admin.getByRole("button", { name: "Add a collector" }).click();
    const dialog = admin.getByRole("dialog");
    const fieldOf = async (label: string) =>
      (await dialog.getByRole("group", { name: label }).locator("code").textContent()) ?? "";
    /** The link, and what a person types instead. */
    const shown = async () => {
      await admin.getByRole("img", { name: "QR code for ODK Collect" }).waitFor();
      const username = await fieldOf("User name");
      const account = { url: await fieldOf("Server URL"), username, password: await fieldOf("Password") };
      return { link: (await dialog.locator("code").first().textContent()) ?? "", account };
    };
    await dialog.getByRole("textbox", { name: "Name" }).fill("Maria in the field");
    await dialog.getByRole("textbox", { name: "DID of the person" }).fill("did:key:z6MkMaria");
    await dialog.getByRole("combobox", { name: "Implementer" }).click();
    await admin.getByRole("option", { name: "Clean Kitchens" }).click();
    await dialog.getByRole("combobox", { name: "Forms" }).click();
    await admin.getByRole("option", { name: "Households" }).click();
    await admin.keyboard.press("Escape");
    await dialog.getByRole("button", { name: "Make the link" }).click();
    const former = await shown();
    await assertAccessible(admin);
    await screenshot(admin, "collector-link");
    await dialog.getByRole("button", { name: "Close" }).click();
    await admin.getByRole("row").filter({ hasText: "Maria in the field" }).getByText("Valid").waitFor();
    await screenshot(admin, "collectors");

    await admin.getByRole("button", { name: "New link Maria in the field" }).click();
    await dialog.getByRole("button", { name: "New link" }).click();
    const { link, account } = await shown();
    await dialog.getByRole("button", { name: "Close" }).click();
    for (const [given, status] of [
      [former.account, 401],
      [account, 200],
    ] as const) {
      const typed = usePhone(withPassword(given), `${test.stack.url}${new URL(given.url).pathname}`);
      assert.equal((await typed.get("/formList")).status, status);
    }

    const collect = usePhone({ request: fetch }, `${test.stack.url}${new URL(link).pathname}`);
    const { version } = await collect.form("household-registration");
    const xml = `<data id="household-registration" version="${version}"><did>did:ixo:household/twice</did><region>Mwanza</region><photo>kitchen.png</photo><meta><instanceID>uuid:people</instanceID></meta></data>`;
    const onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const photo = { name: "kitchen.png", type: "image/png", bytes: Buffer.from(onePixel, "base64") };
    assert.equal((await collect.send(xml, [photo])).status, 201);
    await goTo(admin, "/implementer/records");
    const record = admin.getByRole("row").filter({ hasText: "Maria in the field" });
    await record.getByText("Refused").waitFor();
    await record.getByText(/did:ixo:household\/twice/).waitFor();
    await assertAccessible(admin);
    await screenshot(admin, "records");
    await admin.getByRole("button", { name: "Language" }).click();
    await admin.getByRole("menuitem", { name: "Français" }).click();
    await record.getByText("Le ménage did:ixo:household/twice est déjà enregistré.").waitFor();
    await screenshot(admin, "records-french");
    await admin.getByRole("button", { name: "Langue" }).click();
    await admin.getByRole("menuitem", { name: "English" }).click();
    await record.getByText("Household did:ixo:household/twice is registered already.").waitFor();
    await admin.getByRole("button", { name: "Correct uuid:people" }).click();
    const kitchen = dialog.getByRole("img", { name: "kitchen.png" });
    await kitchen.waitFor();
    await sees(() => kitchen.evaluate((image: HTMLImageElement) => image.naturalWidth), 1);
    await assertAccessible(admin);
    await screenshot(admin, "record-refused");
    await dialog.getByRole("button", { name: "Check again as it is" }).click();
    await dialog.getByText("Corrected at the desk by").waitFor();
    await dialog.getByRole("button", { name: "Delete the record" }).click();
    await dialog.getByRole("textbox", { name: "Reason" }).fill("sent twice");
    await dialog.getByRole("button", { name: "Delete" }).click();
    await record.getByText("Deleted", { exact: true }).waitFor();
    assert.match(await (await collect.send(xml)).text(), /later correction/);

    const second = xml
      .replace("uuid:people", "uuid:people-2")
      .replace("<photo>", "<people><men>two</men></people><photo>");
    assert.equal((await collect.send(second, [photo])).status, 201);
    await admin.reload();
    await signIn(admin);
    await goTo(admin, "/implementer/records");
    await admin.getByRole("button", { name: "Correct uuid:people-2" }).click();
    await dialog.getByRole("textbox", { name: "Household's DID" }).fill("did:ixo:household/corrected");
    await dialog.getByRole("textbox", { name: "Men from 15 to 59" }).fill("2");
    await screenshot(admin, "record-correcting");
    await choosePhotos();
    await dialog.getByRole("button", { name: "Save and check" }).click();
    await dialog.getByText("Accepted").waitFor();
    await sees(async () => await dialog.getByRole("img", { name: /^photo-[0-9a-f]{16}.png$/ }).count(), 1);
    assert.equal(await dialog.getByRole("img", { name: "kitchen.png" }).count(), 0);
    await dialog.getByRole("row", { name: /Men from 15 to 59 2$/ }).waitFor();
    await assertAccessible(admin);
    await screenshot(admin, "record-accepted");
    await dialog.getByRole("button", { name: "Close" }).click();
    await record.filter({ hasText: "did:ixo:household/corrected" }).getByText("Accepted").waitFor();
    const { body: household } = await test.stack.call("GET", "/v1/households/did%3Aixo%3Ahousehold%2Fcorrected");
    assert.deepEqual(household.householdSize, { children: 0, women: 0, men: 2, elderly: 0 });

    await admin.getByRole("tab", { name: "By person and village" }).click();
    await record.getByText("Mwanza").waitFor();
    await assertAccessible(admin);
    await screenshot(admin, "records-progress");
  });

  /** In the open correction on a phone: refused are what is too large and what is not a photo; the last one is shown and chosen. */
  async function choosePhotos(): Promise<void> {
    const dialog = admin.getByRole("dialog");
    const desktop = admin.viewportSize() ?? assert.fail("A page has a size.");
    await admin.setViewportSize(phone);
    const save = dialog.getByRole("button", { name: "Save and check" });
    const choose = async (name: string, buffer: Buffer) =>
      await dialog.locator('input[type="file"]').first().setInputFiles({ name, mimeType: "image/png", buffer });
    await dialog.getByText("Now: kitchen.png").waitFor();
    await choose("large.png", Buffer.alloc(16 * 1024 * 1024 + 1));
    await dialog.getByText("The picture is larger than 16 MiB.").waitFor();
    assert.equal(await save.isDisabled(), true);
    await choose("notes.png", Buffer.from("not a photo"));
    await dialog.getByText("This browser cannot show the picture.").waitFor();
    await save.click();
    await dialog
      .getByText(/The file is not a photo/)
      .first()
      .waitFor();
    await dialog.getByRole("button", { name: "Take the chosen picture back" }).click();
    await sees(async () => await dialog.getByText("This browser cannot show the picture.").count(), 0);
    await choose("kitchen of the right household.png", await readFile("docs/console.png"));
    const preview = dialog.getByRole("img", { name: "New picture: kitchen of the right household.png" });
    await preview.waitFor();
    await sees(() => preview.evaluate((image: HTMLImageElement) => image.naturalWidth > 1), true);
    await preview.scrollIntoViewIfNeeded();
    await assertAccessible(admin);
    assert.equal(
      await dialog.evaluate((element) => element.scrollWidth > element.clientWidth),
      false,
      "The dialog does not scroll sideways.",
    );
    await screenshot(admin, "record-photo-phone");
    await admin.setViewportSize(desktop);
    await screenshot(admin, "record-photo");
  }

  it("connects a KoboToolbox project, maps its questions, and checks it", async () => {
    const peer = await startKoboPeer([
      { type: "text", name: "code", label: ["Code of the household"] },
      { type: "begin_group", name: "people" },
      { type: "integer", name: "children", label: ["Children"] },
      { type: "end_group" },
    ]);
    try {
      await goTo(admin, "/admin/kobo");
      await admin.getByRole("button", { name: "Connect a project" }).click();
      const dialog = admin.getByRole("dialog");
      await dialog.getByRole("textbox", { name: "Name" }).fill("Villages of Kobo");
      await dialog.getByRole("textbox", { name: "Address of the KoboToolbox server" }).fill(peer.url);
      await dialog.getByRole("textbox", { name: "Id of the project" }).fill(peer.assetUid);
      await dialog.getByLabel("API token").fill(koboToken);
      await dialog.getByRole("combobox", { name: "Records become" }).click();
      await admin.getByRole("option", { name: "Households" }).click();
      await dialog.getByRole("textbox", { name: "DID of the person" }).fill("did:key:z6MkMaria");
      await dialog.getByRole("combobox", { name: "Implementer" }).click();
      await admin.getByRole("option", { name: "Clean Kitchens" }).click();
      await dialog.getByRole("button", { name: "Connect", exact: true }).click();

      const mapping = admin.getByRole("dialog", { name: "Questions of Villages of Kobo" });
      await mapping.getByRole("combobox", { name: "Household's DID did" }).click();
      await admin.getByRole("option", { name: "Code of the household (code)" }).click();
      await assertAccessible(admin);
      await screenshot(admin, "kobo-mapping");
      await mapping.getByRole("button", { name: "Save" }).click();
      await mapping.waitFor({ state: "detached" });
      await admin.getByRole("button", { name: "Open Villages of Kobo" }).click();
      await admin.getByRole("button", { name: "Check" }).click();
      await admin.getByText("The REST Service is active.").waitFor();
      await assertAccessible(admin);
      await screenshot(admin, "kobo-connection");
      await admin.getByRole("button", { name: "End" }).click();
      await admin.getByRole("row").filter({ hasText: "Villages of Kobo" }).getByText("Ended").waitFor();
      assert.equal(peer.hooks.length, 0);
    } finally {
      await peer.close();
    }
  });

  it("shows who changed what, filtered by the address, and how the system is", async () => {
    await goTo(admin, "/admin/audit");
    const words = admin.getByRole("textbox", { name: "What or which contains" });
    await words.fill("people-issuer");
    await admin.getByRole("row").filter({ hasText: "End the trust in an issuer now" }).getByText("Done").waitFor();
    await admin.waitForURL(/text=people-issuer/);
    await admin.getByRole("row").filter({ hasText: "Register a product" }).waitFor({ state: "detached" });
    await screenshot(admin, "audit");
    await goTo(admin, "/admin/health");
    await admin.getByText("Everything works.").waitFor();
    await admin.getByText("Free disk space").waitFor();
    await screenshot(admin, "health");
    await goTo(admin, "/admin/roles");
    await admin.getByText("2 of 3 members must sign a decision.").waitFor();
    await admin.getByText("this service signs with it").first().waitFor();
    await screenshot(admin, "roles");
  });

  it("lets council members decide, and the guardian pause the pool, with their wallets", async () => {
    const keys = join(test.stack.dataDir, "keys");
    const account = async (name: string) =>
      privateKeyToAccount(`0x${(await readFile(join(keys, `${name}.key`), "utf8")).trim()}`);
    const chain = createTestClient({ mode: "anvil", transport: http(test.stack.rpcUrl) });
    /** An administrator's page with the wallet of an account. */
    const openWith = async (name: string) => {
      const holder = await account(name);
      await chain.setBalance({ address: holder.address, value: parseEther("10") });
      const page = await test.open();
      await new BrowserWallet(test.stack.rpcUrl, { accounts: [holder] }).install(page);
      await page.reload();
      await signIn(page);
      await goTo(page, "/admin/council");
      await page.getByRole("button", { name: "Connect Test Wallet" }).click();
      return page;
    };
    const guardian = await openWith("guardian");
    await guardian.getByText("You sign as the guardian:").waitFor();
    await guardian.getByRole("button", { name: "Pause the pool" }).click();
    await guardian.getByRole("dialog").getByRole("button", { name: "Pause the pool" }).click();
    await guardian.getByText("The pool is paused").waitFor();

    const first = await openWith("council-1");
    await first.getByText("You sign as a member of the council:").waitFor();
    await first.getByRole("button", { name: "Propose a decision" }).click();
    await choose(first, "Decision", "Set the pool’s price");
    await first.getByLabel("Stablecoin for one CARBON").fill("0.0000001");
    await first.getByRole("button", { name: "Sign with the wallet" }).click();
    await first.getByText("Enter an amount with at most 6 decimals", { exact: false }).waitFor();
    await first.getByLabel("Stablecoin for one CARBON").fill("0.021");
    await screenshot(first, "council-propose");
    await first.getByRole("button", { name: "Sign with the wallet" }).click();
    await first.getByRole("row").filter({ hasText: "0.021000" }).getByText("1 of 2").waitFor();
    await first.getByRole("button", { name: "Propose to reopen" }).click();
    await first.getByRole("dialog").getByRole("button", { name: "Propose to reopen" }).click();
    await first.getByRole("row").filter({ hasText: "Open the pool" }).waitFor();
    await screenshot(first, "council");
    await assertAccessible(first);

    const second = await openWith("council-2");
    const open = async (page: Page, text: string) => {
      await goTo(page, "/admin/council");
      await page.getByRole("row").filter({ hasText: text }).click();
      await page.getByRole("heading", { name: "Proposal" }).waitFor();
    };
    await open(second, "0.021000");
    await second.getByRole("button", { name: "Approve with the wallet" }).click();
    await second.getByText("It can be executed in 23 hours", { exact: false }).waitFor();
    await screenshot(second, "proposal");
    await assertAccessible(second);
    await second.getByRole("button", { name: "Execute now" }).waitFor({ state: "detached" });
    await open(second, "Open the pool");
    await second.getByRole("button", { name: "Approve with the wallet" }).click();
    await second.getByText("Scheduled", { exact: true }).waitFor();

    await open(guardian, "0.021000");
    await guardian.getByRole("button", { name: "Cancel this proposal" }).click();
    await guardian.getByRole("dialog").getByRole("button", { name: "Cancel this proposal" }).click();
    await guardian.getByText("Cancelled", { exact: true }).waitFor();

    await chain.increaseTime({ seconds: 86_401 });
    await chain.mine({ blocks: 1 });
    await second.getByRole("button", { name: "Execute now" }).click();
    await second.getByText("Executed", { exact: true }).waitFor();
    await goTo(second, "/admin/council");
    await second.getByText("The pool is open").waitFor();
  });

  it("lets a supplier join by a link on a phone, stay in after a reload, and add a second device", async () => {
    const link = await invite("Amina’s phone", "Supplier", "Stove Shop");
    assert.match(link, /\/console\/join#hi_/);
    const person = await test.open(path(link), { size: phone, expected: /net::ERR_FAILED/ });
    await person.getByText("You are invited as “Amina’s phone”, in the role Supplier.").waitFor();
    await screenshot(person, "join-phone");
    await assertAccessible(person);
    // The server accepts, but its answer is lost.
    await person.route("**/v1/invitations/accept", async (route) => {
      await route.fetch();
      await route.abort();
    });
    await person.getByRole("button", { name: "Join on this device" }).click();
    await person.getByText("The server cannot be reached.", { exact: false }).waitFor();
    await person.unroute("**/v1/invitations/accept");
    await person.reload();
    await person.getByText("This device began to join", { exact: false }).waitFor();
    await person.getByRole("button", { name: "Join on this device" }).click();
    await person.getByRole("heading", { name: "Welcome" }).waitFor();
    assert.equal(new URL(person.url()).hash, "");
    await person.reload();
    await person.getByRole("button", { name: "Supplier", exact: true }).click();
    await person.getByText("did:ixo:supplier/stove-shop").waitFor();
    await person.getByRole("menuitem", { name: "Add a device" }).click();
    await person.getByRole("dialog").getByRole("button", { name: "Make a link" }).click();
    const second = await test.open(path((await person.getByRole("dialog").locator("code").textContent()) ?? ""));
    await second.getByRole("button", { name: "Join on this device" }).click();
    await second.getByRole("heading", { name: "Welcome" }).waitFor();
    const stored = await person.context().storageState({ indexedDB: true });
    assert.ok(!JSON.stringify(stored).includes('"d"'), "a private key can be read from the storage");
    const other = await test.open(path(link));
    await other.getByText("This link was used, revoked or has expired.", { exact: false }).waitFor();
    await screenshot(other, "join-used");
    await goTo(admin, "/admin/participants");
    await goTo(admin, "/admin/people");
    await admin.getByRole("row").filter({ hasText: "Amina’s phone" }).filter({ hasText: "Accepted" }).first().waitFor();
    await screenshot(admin, "people");
    await assertAccessible(admin);
  });

  it("lets a person in again by a passkey on another device, and no more once it is revoked", async () => {
    const link = new URL(await invite("Passkey holder", "Regulator"));
    const { port } = new URL(test.stack.url);
    /** A page in a new profile, under a name: passkeys are not for addresses. Its authenticator is a phone's. */
    const openWithPasskeys = async (path: string) => {
      const page = await test.open("/no-such-page");
      const cdp = await page.context().newCDPSession(page);
      await cdp.send("WebAuthn.enable");
      const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
        options: {
          protocol: "ctap2",
          transport: "internal",
          hasResidentKey: true,
          hasUserVerification: true,
          isUserVerified: true,
          automaticPresenceSimulation: true,
        },
      });
      await page.goto(`http://localhost:${port}/console${path}`);
      return { page, cdp, authenticatorId };
    };
    const phoneOf = await openWithPasskeys(`/join${link.hash}`);
    const { page: person } = phoneOf;
    await person.getByRole("button", { name: "Join on this device" }).click();
    const openPasskeys = async () => {
      await person.getByRole("button", { name: "Regulator", exact: true }).click();
      await person.getByRole("menuitem", { name: "Passkeys" }).click();
    };
    const offer = person.getByText("Make a passkey, so that you can always get in again");
    await offer.waitFor();
    await screenshot(person, "passkey-offer");
    await assertAccessible(person);
    await person.getByRole("button", { name: "Make a passkey" }).click();
    const dialog = person.getByRole("dialog");
    await dialog.getByLabel("Name of the passkey").fill("My phone");
    await dialog.getByRole("button", { name: "Make a passkey" }).click();
    await dialog.getByRole("button", { name: "Revoke My phone" }).waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await offer.waitFor({ state: "detached" });
    await openPasskeys();
    await person.getByRole("button", { name: "Revoke My phone" }).waitFor();
    await screenshot(person, "passkeys");
    await assertAccessible(person);

    // Another device of the same person: the phone's maker has copied the passkey to it.
    const { credentials } = await phoneOf.cdp.send("WebAuthn.getCredentials", {
      authenticatorId: phoneOf.authenticatorId,
    });
    const enter = async () => {
      const other = await openWithPasskeys("/");
      for (const credential of credentials) {
        await other.cdp.send("WebAuthn.addCredential", { authenticatorId: other.authenticatorId, credential });
      }
      await other.page.getByRole("button", { name: "Sign in with a passkey" }).click();
      return other.page;
    };
    const laptop = await enter();
    await laptop.getByRole("heading", { name: "Welcome" }).waitFor();
    await laptop.reload();
    await laptop.getByRole("button", { name: "Regulator", exact: true }).waitFor();
    const stored = JSON.stringify(await laptop.context().storageState({ indexedDB: true }));
    assert.ok(!stored.includes('"d"'), "a private key can be read from the storage");

    await person.getByRole("button", { name: "Revoke My phone" }).click();
    await person.getByText("Revoked", { exact: true }).waitFor();
    for (const credential of credentials) credential.signCount = 100;
    const late = await enter();
    await late.getByText("This passkey cannot sign in", { exact: false }).waitFor();
    await screenshot(late, "passkey-refused");
    // A browser without the passkey, whose person closes the browser's question.
    const stranger = await openWithPasskeys("/");
    await stranger.cdp.send("WebAuthn.setUserVerified", {
      authenticatorId: stranger.authenticatorId,
      isUserVerified: false,
    });
    await stranger.page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await stranger.page.getByText("No passkey was used.", { exact: false }).waitFor();
  });

  it("signs a person out whose key is revoked, and refuses a revoked link", async () => {
    const link = await invite("Inspector", "Regulator");
    const person = await test.open(path(link));
    await person.getByRole("button", { name: "Join on this device" }).click();
    await person.getByRole("heading", { name: "Welcome" }).waitFor();
    await goTo(admin, "/");
    await goTo(admin, "/admin/people");
    await admin.getByRole("table", { name: "API keys" }).getByRole("button", { name: "Revoke Inspector" }).click();
    await admin.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await admin.getByRole("row").filter({ hasText: "Inspector" }).filter({ hasText: "Revoked" }).waitFor();
    const signedOut = person.getByText("The key is no longer valid. Sign in again.");
    // The open page may have asked the server since. A reload would take its message away.
    if (!(await signedOut.isVisible())) await person.goto(`${test.stack.url}/console/implementer/households`);
    await signedOut.waitFor();
    const unused = await invite("Nobody", "Evaluator");
    await admin.getByRole("button", { name: "Revoke Nobody" }).click();
    await admin.getByRole("row").filter({ hasText: "Nobody" }).filter({ hasText: "Revoked" }).waitFor();
    const late = await test.open(path(unused));
    await late.getByText("This link was used, revoked or has expired.", { exact: false }).waitFor();
  });

  it("makes a program's key that can do only what was chosen, shows it once, and revokes it", async () => {
    await goTo(admin, "/admin/keys");
    await admin.getByRole("button", { name: "Make a key" }).click();
    const dialog = admin.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Name" }).fill("Lusaka ledger");
    await dialog.getByRole("checkbox", { name: "Read vouchers and redemptions." }).check();
    await dialog.getByRole("checkbox", { name: "Have events sent to a URL." }).check();
    await dialog.getByLabel("Last day").fill("2099-12-31");
    await dialog.getByRole("button", { name: "Make a key" }).click();
    await dialog.getByText("Enter DIDs, or tick", { exact: false }).waitFor();
    const dids = dialog.getByRole("combobox", { name: "Acts only for these DIDs" });
    const forAll = dialog.getByRole("checkbox", { name: "For all implementers, suppliers and households" });
    await forAll.check();
    await dids.waitFor({ state: "detached" });
    await forAll.uncheck();
    await dids.fill("stove shop");
    await dids.press("Enter");
    await dialog.getByRole("button", { name: "Make a key" }).click();
    await dialog.getByText("Enter DIDs, such as did:ixo:supplier/1.").waitFor();
    await dids.press("Backspace");
    await dids.fill("did:ixo:implementer/clean-kitchens");
    await dids.press("Enter");
    await screenshot(admin, "program-key-form");
    await assertNoViolation(admin, "the form of a program's key");
    await dialog.getByRole("button", { name: "Make a key" }).click();
    await dialog.getByText("Copy the key now", { exact: false }).waitFor();
    const key = (await dialog.locator("pre").textContent()) ?? "";
    await screenshot(admin, "program-key");
    await assertNoViolation(admin, "the new key");
    await admin.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await dialog.getByRole("button", { name: "Copy the key" }).click();
    await dialog.getByRole("button", { name: "Copied" }).waitFor();
    assert.equal(await admin.evaluate(() => navigator.clipboard.readText()), key);
    await dialog.getByRole("button", { name: "Close" }).last().click();
    await dialog.waitFor({ state: "hidden" });
    const row = admin.getByRole("row").filter({ hasText: "Lusaka ledger" });
    await row.filter({ hasText: "vouchers:read" }).filter({ hasText: "Not used yet" }).waitFor();
    assert.ok(!(await admin.content()).includes(key), "the page still has the key");

    const ask = async (method: string, path: string, body?: object) =>
      await fetch(`${test.stack.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    const self = (await (await ask("GET", "/v1/keys/self")).json()) as Record<string, unknown>;
    assert.deepEqual(
      [self.role, self.scopes, self.dids],
      ["integrator", ["vouchers:read", "webhooks:write"], ["did:ixo:implementer/clean-kitchens"]],
    );
    assert.equal((await ask("GET", "/v1/vouchers")).status, 200);
    assert.equal((await ask("GET", "/v1/households")).status, 403);
    await goTo(admin, "/");
    await goTo(admin, "/admin/keys");
    // The page first shows what it knew before the key was used.
    await row.filter({ hasText: "31 Dec 2099" }).filter({ hasNotText: "Not used yet" }).waitFor();
    for (const [size, name] of [
      [phone, "phone"],
      [desktop, "desktop"],
    ] as const) {
      await admin.setViewportSize(size);
      await screenshot(admin, `program-keys-${name}`);
    }
    await assertAccessible(admin);
    await admin.getByRole("button", { name: "Revoke Lusaka ledger" }).click();
    await dialog.getByText("It needs another key.", { exact: false }).waitFor();
    await dialog.getByRole("button", { name: "Revoke" }).click();
    await row.filter({ hasText: "Revoked" }).waitFor();
    assert.equal((await ask("GET", "/v1/keys/self")).status, 401);
  });

  it("shows a person the way at the root, and an API reference that everyone can use", async () => {
    const page = await test.open("/no-such-page");
    await page.goto(test.stack.url);
    await page.getByRole("link", { name: "Console" }).waitFor();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await assertNoViolation(page, colorScheme);
    }
    await page.getByRole("link", { name: "API reference" }).click();
    await page.locator(".opblock-tag").first().waitFor();
    await assertNoViolation(page, "groups");
    await page.locator("#operations-Keys-postKeys .opblock-summary-control").click();
    await page.locator(".opblock-body").first().waitFor();
    await assertNoViolation(page, "an operation");
    await page.locator(".try-out__btn").first().click();
    await page.locator("textarea").first().waitFor();
    await assertNoViolation(page, "a request to fill in");
    const answer = await fetch(test.stack.url);
    assert.equal(((await answer.json()) as { status: string }).status, "ok");
  });
});
