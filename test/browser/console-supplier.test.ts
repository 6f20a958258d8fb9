import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, describe, it } from "node:test";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import type { Page } from "playwright-core";
import { privateKeyToAccount } from "viem/accounts";
import { voucherQrText } from "../../api/scheme/codes/voucher-qr-text.ts";
import { cardCode, cardQrText } from "../../wire/src/card-code.ts";
import { householdCodeQrText, readHouseholdCode } from "../../wire/src/household-code.ts";
import { encodeVoucherId } from "../../wire/src/ids.ts";
import { withoutBrowser } from "../support/browser.ts";
import { codesOnPages } from "../support/code-papers.ts";
import { stackAdminKey } from "../support/stack.ts";
import { assertAccessible, type ConsoleTest, goTo, phone, screenshot, signIn } from "./console.ts";
import { type ConsoleScheme, createConsoleScheme, follow } from "./console-scheme.ts";
import { tabTo } from "./keyboard.ts";
import { cameraArgs, filmQrCode } from "./qr-camera.ts";
import { openSharedConsole } from "./shared-console.ts";
import { sees } from "./waiting.ts";

type Body = Record<string, unknown>;

const family = "did:x:household-of-till/1";
const signingFamily = "did:x:household-of-till/2";
const household = privateKeyToAccount(`0x${"77".padStart(64, "0")}`);

describe("the supplier's pages", { skip: withoutBrowser() }, () => {
  let test: ConsoleTest;
  let scheme: ConsoleScheme;
  let folder: string;
  let film: string;
  let key: string;
  let jwk: JWK;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "hearth-camera-"));
    film = join(folder, "code.y4m");
    test = await openSharedConsole({ args: cameraArgs(film), system: "paid" });
    scheme = await createConsoleScheme(test.stack, "supplier");
    await scheme.post("/households", { did: family, region: "Lusaka" });
    await scheme.post("/households", { did: signingFamily, region: "Lusaka", account: household.address });
    const confirm = `/households/${encodeURIComponent(signingFamily)}/account/confirm`;
    await scheme.post(confirm, { account: household.address });
    const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
    jwk = await exportJWK(privateKey);
    const { kty, crv, x, y } = await exportJWK(publicKey);
    const { supplierDid } = scheme;
    const made = await scheme.post("/keys", {
      role: "supplier",
      name: "till",
      supplierDid,
      publicJwk: { kty, crv, x, y },
    });
    key = String(made.key);
  });
  afterEach(() => test?.closePages());
  after(async () => {
    await test?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** A supplier's phone, signed in with the key and its key pair. */
  /** `asked`: the page's number of earlier loads; browsers record only some hundred loads of a page. */
  async function openTill(path = "/supplier/redeem", asked = 0, remember = false): Promise<Page> {
    const page = await test.open(path, {
      size: phone,
      permissions: ["camera"],
      expected: /net::ERR_(INTERNET_DISCONNECTED|CONNECTION_RESET)/,
    });
    page.on("dialog", (dialog) => void dialog.accept());
    await page.evaluate(async (most) => {
      for (let i = 0; i < most; i += 1) await fetch(`/console/hearth.svg?${i}`);
    }, asked);
    await page.getByRole("button", { name: "Key pair (suppliers)" }).click();
    await page.getByLabel("Private JWK").fill(JSON.stringify(jwk));
    if (remember) await page.getByLabel("Remember on this device").check();
    await signIn(page, key);
    return page;
  }

  async function type(page: Page, voucherId: string): Promise<void> {
    await page.getByLabel("Voucher", { exact: false }).and(page.locator("input")).fill(voucherId);
    await page.getByRole("button", { name: "Look it up" }).click();
  }

  async function order(page: Page, amount: string, product = scheme.productName): Promise<void> {
    await page.getByLabel("Product").and(page.locator("input")).click();
    await page.getByRole("option", { name: product }).click();
    await page.getByLabel("Amount (CARBON)").fill(amount);
  }

  /** Change the scheme's product. */
  async function change(body: object): Promise<void> {
    const answer = await test.stack.call("PATCH", `/v1/products/${scheme.productId}`, body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  }

  const redeem = (page: Page) => page.getByRole("button", { name: "Redeem", exact: true }).click();
  /** The voucher's balance on chain, which shows how often an order was carried out. */
  const leftOf = async (voucherId: string) => (await scheme.get(`/vouchers/${voucherId}`)).remainingBalance;

  it("scan a household's card, choose its voucher, and redeem it with the PIN, which the device then forgets", async () => {
    const cardFamily = "did:x:household-of-till/card";
    await scheme.post("/households", { did: cardFamily, region: "Lusaka" });
    const voucherId = await scheme.issue(cardFamily, 40);
    const order1 = { implementerDid: scheme.implementerDid, count: 1, language: "en" };
    const { batchId } = await scheme.post("/card-batches", order1);
    const { items } = (await scheme.get(`/cards?batchId=${batchId}`)) as { items: { cardId: string }[] };
    const cardId = items[0]?.cardId ?? "";
    await scheme.post(`/cards/${cardId}/link`, { householdDid: cardFamily });
    await scheme.post(`/cards/${cardId}/activate`, {});
    const pinPath = `/v1/households/${encodeURIComponent(cardFamily)}/pin`;
    const set = await test.stack.call("PUT", pinPath, { pin: "735914" });
    assert.equal(set.status, 200, JSON.stringify(set.body));
    await filmQrCode(film, cardQrText(cardId));
    const page = await openTill();
    await page.getByRole("button", { name: "Scan a code" }).click();
    await page.getByText("Choose a voucher of this card:").waitFor();
    await screenshot(page, "supplier-card-phone");
    await assertAccessible(page);
    await page.getByRole("button", { name: /^40 CARBON/ }).click();
    await order(page, "15");
    await page.getByLabel("PIN", { exact: false }).and(page.locator("input[type=password]")).fill("735914");
    await screenshot(page, "supplier-pin-phone");
    await assertAccessible(page);
    await redeem(page);
    await page.getByText("Recorded on chain").waitFor();
    assert.equal(await leftOf(voucherId), 25);
    await scheme.until(`/redemptions?voucherId=${voucherId}`, ({ items: made }) =>
      (made as { consent: string }[])[0]?.consent === "pin" ? true : undefined,
    );
  });

  it("take a code of the household's paper once, also without a network, and say when it was used", async () => {
    const household = "did:x:household-of-till/codes";
    await scheme.post("/households", { did: household, region: "Lusaka" });
    await scheme.certify("CERT-WITH-CODES", 60, [household]);
    const started = await scheme.post("/vouchers/issue-batch", {
      emissionCertificateId: "CERT-WITH-CODES",
      attributes: { batchId: "BATCH-WITH-CODES", issuanceDate: "2025-01-01", expiryDate: "2099-12-31" },
      codes: { perVoucher: 3, language: "en" },
    });
    await follow(scheme.until, String(started.operationId));
    const voucherId = await scheme.until("/vouchers?batchId=BATCH-WITH-CODES", ({ items }) => (items as Body[])[0]?.id);
    const sheets = `${test.stack.url}/v1/code-sets/${started.operationId}/sheets`;
    const pdf = await fetch(sheets, { headers: { authorization: `Bearer ${stackAdminKey}` } });
    const [[scanned = "", typed = ""] = []] = codesOnPages(Buffer.from(await pdf.arrayBuffer()));
    assert.equal(readHouseholdCode(scanned), scanned);
    const page = await openTill("/supplier/redeem", 300);
    await type(page, String(voucherId));
    await page.getByText("60 CARBON").waitFor();
    await order(page, "15");
    await page.getByText("The household shows a code of its paper").click();
    await filmQrCode(film, householdCodeQrText(scanned));
    await page.getByRole("button", { name: "Scan the code" }).click();
    const code = page.getByRole("textbox", { name: /^Code/ });
    await sees(() => code.inputValue(), scanned);
    await screenshot(page, "supplier-code-phone");
    await assertAccessible(page);
    await redeem(page);
    await page.getByText("Recorded on chain").waitFor();
    assert.equal(await leftOf(String(voucherId)), 45);
    // The code is nowhere on the device.
    assert.equal(await page.evaluate(readQueueAsText).then((text) => text.includes(scanned)), false);
    await page.getByRole("button", { name: "Next voucher" }).click();
    await type(page, String(voucherId));
    await page.getByText("45 CARBON").waitFor();
    await order(page, "5");
    await page.getByText("The household shows a code of its paper").click();
    await code.fill(`${typed.slice(0, -1)}${typed.endsWith("0") ? "1" : "0"}`);
    await redeem(page);
    await page.getByText("This is not a code of a household’s paper.").waitFor();
    await code.fill(scanned.toLowerCase());
    await redeem(page);
    await page.getByText("This code is in another order of this device.").waitFor();
    await page.waitForFunction(async () => (await (await caches.open("hearth-console-1")).keys()).length > 10);
    await page.context().setOffline(true);
    await page.getByText("No network").waitFor();
    await code.fill(typed.replaceAll("-", " "));
    await redeem(page);
    await page.getByRole("article", { name: /^Pending/ }).waitFor();
    await page.context().setOffline(false);
    await page.getByRole("article", { name: /^Settled/ }).waitFor();
    await sees(() => leftOf(String(voucherId)), 40);
    const other = await openTill();
    await type(other, String(voucherId));
    await other.getByText("40 CARBON").waitFor();
    await order(other, "5");
    await other.getByText("The household shows a code of its paper").click();
    await other.getByRole("textbox", { name: /^Code/ }).fill(typed);
    await redeem(other);
    const refusal = other.getByRole("article", { name: /^Refused/ });
    await refusal.getByText("code-unused").waitFor();
    await refusal.getByText("The household crosses this code out").waitFor();
    await screenshot(other, "supplier-code-used-phone");
    await assertAccessible(other);
    assert.equal(await leftOf(String(voucherId)), 40);
  });

  it("scan a voucher's code, redeem it, claim the delivery and are paid", async () => {
    const voucherId = await scheme.issue(family, 100);
    await filmQrCode(film, "https://elsewhere.example/pay");
    const page = await openTill();
    await screenshot(page, "supplier-redeem-phone");
    await page.getByRole("button", { name: "Scan a code" }).click();
    await page.getByRole("dialog").getByText("This is not a voucher number.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await filmQrCode(film, voucherQrText(voucherId));
    await page.getByRole("button", { name: "Scan a code" }).click();
    await page.getByText("100 CARBON").waitFor();
    await screenshot(page, "supplier-voucher-phone");
    await assertAccessible(page);
    await order(page, "12,5");
    await redeem(page);
    await page.getByText("Recorded on chain").waitFor();
    await page.getByText("87.5 CARBON").waitFor();
    await screenshot(page, "supplier-settled-phone");
    await assertAccessible(page);
    const redemptionId =
      (await page
        .getByText(/^REDM-/)
        .first()
        .textContent()) ?? "";
    await page.getByRole("link", { name: "Claim the delivery" }).click();
    const credential = await scheme.deliveryCredential({ redemptionId, recipient: family });
    await page.getByLabel("Delivery credential").fill("no credential");
    await page.getByText("This is not a signed token").waitFor();
    await assertAccessible(page);
    await page.getByLabel("Delivery credential").fill(credential);
    await page.reload();
    await sees(() => page.getByLabel("Delivery credential").inputValue(), credential);
    await page.getByRole("button", { name: "File the claim" }).click();
    await page.getByText("The claim was filed").waitFor();
    await screenshot(page, "supplier-claimed-phone");
    await scheme.until(`/claims?supplierDid=${encodeURIComponent(scheme.supplierDid)}`, ({ items }) =>
      (items as unknown[]).length === 1 ? true : undefined,
    );
    await page.locator("#content").getByRole("link", { name: "Claims and payments" }).click();
    await page.getByRole("cell", { name: "Paid" }).waitFor();
    await screenshot(page, "supplier-claims-phone");
    await assertAccessible(page);
  });

  it("begin with today's redemptions, what is owed and what was paid", async () => {
    const voucherId = await scheme.issue(family, 40);
    const { supplierDid, productId } = scheme;
    const before = await openTill("/");
    const card = (page: Page, label: string) =>
      page.locator("#content").getByRole("link", { name: new RegExp(`^${label}`) });
    const figureOf = async (page: Page, label: string) =>
      Number.parseFloat((await card(page, label).locator("p").nth(1).textContent())?.replace(",", "") ?? "");
    await card(before, "Redeemed today").waitFor();
    const [today, owed] = [await figureOf(before, "Redeemed today"), await figureOf(before, "Owed to you")];
    await scheme.post("/vouchers/redeem", { voucherId, supplierDid, productId, amount: 15 });
    const page = await openTill("/");
    await sees(() => figureOf(page, "Redeemed today"), today + 15);
    await sees(() => figureOf(page, "Owed to you"), owed + 15);
    await screenshot(page, "home-supplier-phone");
    await assertAccessible(page);
    await page.getByRole("link", { name: /wait for your claim|waits for your claim/ }).click();
    await page.getByRole("heading", { level: 1 }).waitFor();
    assert.match(page.url(), /status=pending_delivery/);
  });

  it("say why an expired voucher cannot be redeemed, and offer no form", async () => {
    const voucherId = await scheme.issue(family, 10, "2025-02-01");
    const page = await openTill();
    await type(page, voucherId);
    await page.getByText("Its last day is over.").waitFor();
    await page.getByRole("group", { name: "Voucher" }).getByText("Expired").waitFor();
    assert.equal(await page.getByLabel("Amount (CARBON)").count(), 0);
    await assertAccessible(page);
    await goTo(page, `/regulator/trace/${voucherId}`);
    await page.getByRole("button", { name: `Voucher ${voucherId}` }).click();
    await page.getByRole("dialog").getByText("Expired", { exact: true }).waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await goTo(page, "/regulator/vouchers");
    await page.getByLabel("Id contains").fill(voucherId);
    await page.getByRole("row", { name: voucherId }).getByText("Expired").waitFor();
  });

  it("can be used without a mouse, from the voucher to the result on chain", async () => {
    const voucherId = await scheme.issue(family, 30);
    const page = await openTill();
    await tabTo(page, "Voucher");
    await page.keyboard.type(voucherId);
    await page.keyboard.press("Enter");
    await page.getByText("30 CARBON").waitFor();
    await page.getByLabel("Product").and(page.locator("input")).waitFor();
    await tabTo(page, "Product");
    // Wait as a user would: the list selects its first option shortly after it opens.
    await page.getByRole("option").first().waitFor();
    await page.keyboard.type(scheme.productName, { delay: 50 });
    await page.getByRole("option", { name: scheme.productName }).waitFor();
    await page.keyboard.press("Enter");
    await tabTo(page, "Amount (CARBON)");
    await page.keyboard.type("7,5");
    await page.keyboard.press("Enter");
    const card = page.getByRole("article", { name: voucherId }).and(page.locator(":focus"));
    await card.getByRole("status").getByText("Recorded on chain").waitFor();
    assert.equal(await leftOf(voucherId), 22.5);
    await tabTo(page, "Claim the delivery");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Claim a delivery" }).waitFor();
  });

  it("name every rule that an order breaks, and what to do about it", async () => {
    const voucherId = await scheme.issue(family, 10);
    const page = await openTill();
    await type(page, `${voucherId.slice(0, -1)}${voucherId.endsWith("0") ? "1" : "0"}`);
    await page.getByText("The check symbol does not match").waitFor();
    await type(page, voucherId.toLowerCase());
    await page.getByText("10 CARBON").waitFor();
    await order(page, "11");
    await redeem(page);
    await page.getByText("The voucher’s balance is lower.").waitFor();
    await page.getByLabel("Amount (CARBON)").fill("2");
    await change({ status: "withdrawn" });
    try {
      await redeem(page);
      const refusal = page.getByRole("article", { name: /^Refused/ });
      await refusal.getByText("product-approved").waitFor();
      await refusal.getByText("choose a product that the voucher pays for").waitFor();
      await screenshot(page, "supplier-refused-phone");
      await assertAccessible(page);
      await page.getByRole("button", { name: "Remove from the list" }).click();
      await page.getByRole("button", { name: "Look it up" }).waitFor();
    } finally {
      await change({ status: "approved" });
    }
  });

  it("offer only the products of the voucher's plan, with their prices, and print and send the receipt", async () => {
    await scheme.post("/products", { productId: "PROD-UNPLANNED", name: "Radio", category: "other", unit: "piece" });
    await change({ price: { amount: 450.5, currency: "ZMW", carbon: 60 } });
    const voucherId = await scheme.issue(family, 100);
    const page = await openTill();
    await type(page, voucherId);
    await page.getByText("100 CARBON").waitFor();
    await page.getByLabel("Product").and(page.locator("input")).click();
    await page.getByRole("option", { name: /ZMW\s450\.50 = 60 CARBON/ }).waitFor();
    assert.equal(await page.getByRole("option").count(), 1);
    await page.getByRole("option", { name: scheme.productName }).click();
    assert.equal(await page.getByLabel("Amount (CARBON)").inputValue(), "60");
    await page.getByLabel("Amount (CARBON)").fill("12,5");
    const price = page.getByRole("group", { name: "Price", exact: true });
    await price.getByText(/ZMW\s93\.85/).waitFor();
    await price.getByText(/ZMW\s356\.65/).waitFor();
    await screenshot(page, "supplier-price-phone");
    await assertAccessible(page);
    await redeem(page);
    await page.getByText("Recorded on chain").waitFor();
    await page.getByRole("link", { name: "Receipt" }).click();
    const receipt = page.getByRole("region", { name: "Receipt" });
    for (const text of ["Corner Shop", "12.5 CARBON", "87.5 CARBON", voucherId])
      await receipt.getByText(text).waitFor();
    await receipt.getByText(/ZMW\s356\.65/).waitFor();
    await assertAccessible(page);
    await screenshot(page, "supplier-receipt-phone");
    await page.emulateMedia({ media: "print", colorScheme: "light" });
    assert.equal(await page.getByRole("banner").isVisible(), false);
    assert.equal(await page.getByRole("button", { name: "Print" }).isVisible(), false);
    await screenshot(page, "supplier-receipt-print");
    const pdf = (await page.pdf({ format: "A5" })).toString("latin1");
    assert.equal(pdf.match(/\/Type\s*\/Page\b/g)?.length, 1);
    await page.emulateMedia({ media: "screen" });
    // Chromium on this system cannot share, so the receipt is saved.
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "Send" }).click();
    const file = await saving;
    assert.match(file.suggestedFilename(), /^REDM-.*\.txt$/);
    const text = await readFile(await file.path(), "utf8");
    assert.match(text, /The household pays: ZMW\s356\.65/);
    assert.ok(text.includes(voucherId), text);
    await page.getByText("It was saved as a file.").waitFor();
    const shared = await page.evaluate(async () => {
      const given: ShareData[] = [];
      Object.assign(navigator, { canShare: () => true, share: async (data: ShareData) => void given.push(data) });
      document.querySelector<HTMLButtonElement>("#content [data-print=no] button:nth-of-type(2)")?.click();
      await new Promise((resolve) => setTimeout(resolve));
      return given;
    });
    assert.ok(shared[0]?.text?.includes("12.5 CARBON"), JSON.stringify(shared));
  });

  it("close the day with totals by product and state, in the time zone of the device", async () => {
    await change({ price: { amount: 450.5, currency: "ZMW", carbon: 60 } });
    const shop = await createConsoleScheme(test.stack, "supplier-day");
    const household = "did:x:household-of-day/1";
    await shop.post("/households", { did: household, region: "Lusaka" });
    const voucherId = await shop.issue(household, 100);
    const sell = (amount: number) =>
      shop.post("/vouchers/redeem", { voucherId, supplierDid: shop.supplierDid, productId: shop.productId, amount });
    const [paid, returned] = [await sell(20), await sell(3)];
    await sell(0.000001);
    const proof = await shop.deliveryCredential({ redemptionId: String(paid.redemptionId), recipient: household });
    const verifiableCredential = { type: "ProductDeliveryCredential", proof };
    await shop.post("/claims", { redemptionId: paid.redemptionId, verifiableCredential });
    await shop.post(`/redemptions/${String(returned.redemptionId)}/reverse`, { reason: "returned" });
    const mine = `/redemptions?supplierDid=${encodeURIComponent(shop.supplierDid)}`;
    await shop.until(mine, ({ items }) => {
      const states = (items as { status: string }[]).map(({ status }) => status);
      return states.includes("settled") && states.includes("reversed") ? true : undefined;
    });
    const page = await test.open("/supplier/day", { size: phone });
    await signIn(page);
    await page.getByLabel("Supplier you act for").and(page.locator("input")).click();
    await page
      .getByRole("option", { name: shop.supplierDid })
      .or(page.getByRole("option", { name: /Corner Shop/ }))
      .last()
      .click();
    const row = page.getByRole("row", { name: new RegExp(shop.productName) });
    for (const amount of ["0.000001", "20", "3"])
      await row.getByRole("cell", { name: `${amount} 1 ×`, exact: true }).waitFor();
    await page.getByText(Intl.DateTimeFormat().resolvedOptions().timeZone).waitFor();
    await screenshot(page, "supplier-day-phone");
    await assertAccessible(page);
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download as CSV" }).click();
    const csv = await readFile(await (await saving).path(), "utf8");
    assert.match(csv, /,1,0\.000001,1,20,1,3\r\n/);
    await page.getByLabel("Day", { exact: false }).and(page.locator("input[type=date]")).fill("2020-01-01");
    await page.getByText("Nothing was redeemed on this day.").waitFor();
  });

  it("offer no form for a voucher that cannot be redeemed", async () => {
    const voucherId = await scheme.issue(family, 15);
    const pause = (verb: string) => scheme.post(`/vouchers/${voucherId}/${verb}`, { reason: "Checked" });
    await pause("suspend");
    const page = await openTill();
    await type(page, voucherId);
    await page.getByText("It is suspended for a check.").waitFor();
    assert.equal(await page.getByLabel("Amount (CARBON)").count(), 0);
    await assertAccessible(page);
    await type(page, encodeVoucherId(2n ** 40n));
    await page.getByRole("alert").waitFor();
    assert.equal(await page.getByLabel("Amount (CARBON)").count(), 0);
    await pause("reactivate");
    await type(page, voucherId);
    await page.getByLabel("Amount (CARBON)").waitFor();
  });

  it("authorise without a network, survive a reload, and settle once when the network is back", async () => {
    const voucherId = await scheme.issue(signingFamily, 50);
    const page = await openTill("/supplier/redeem", 300);
    await page.exposeFunction("signAsHousehold", (text: string) => household.signTypedData(JSON.parse(text)));
    await page.evaluate(giveWallet, household.address);
    await type(page, voucherId);
    await page.getByText("50 CARBON").waitFor();
    // The contract's address is known after any voucher that was signed for with a network.
    await order(page, "1");
    await page.getByText("The household signs in a wallet on this device").click();
    await page.getByRole("button", { name: "Let the household sign" }).click();
    await page.getByText("Signed. The signature is valid only for this product").waitFor();
    await page.waitForFunction(async () => (await (await caches.open("hearth-console-1")).keys()).length > 10);
    await page.context().setOffline(true);
    await page.getByText("No network").waitFor();
    await page.getByLabel("Amount (CARBON)").fill("20");
    await page.getByRole("button", { name: "Let the household sign" }).click();
    await page.getByText("Signed. The signature is valid only for this product").waitFor();
    await redeem(page);
    await page.getByRole("article", { name: /^Pending/ }).waitFor();
    await screenshot(page, "supplier-offline-phone");
    await assertAccessible(page);
    await page.goto(`${test.stack.url}/console/supplier/waiting`);
    await page.reload();
    await page.getByRole("article", { name: /^Pending/ }).waitFor();
    await screenshot(page, "supplier-waiting-phone");
    assert.equal(await leftOf(voucherId), 50);
    assert.equal(await page.evaluate(readQueueAsText).then((text) => text.includes(voucherId)), false);
    await page.context().setOffline(false);
    await page.getByRole("article", { name: /^Settled/ }).waitFor();
    await sees(() => leftOf(voucherId), 30);
    await page.reload();
    await page.getByRole("article", { name: /^Settled/ }).waitFor();
    await sees(() => leftOf(voucherId), 30);
  });

  it("accept a known card without a network up to its limit, as pending, and no unknown card", async () => {
    const cardFamily = "did:x:household-of-till/offline-card";
    await scheme.post("/households", { did: cardFamily, region: "Lusaka" });
    const voucherId = await scheme.issue(cardFamily, 400);
    const order1 = { implementerDid: scheme.implementerDid, count: 2, language: "en" };
    const { batchId } = await scheme.post("/card-batches", order1);
    const { items } = (await scheme.get(`/cards?batchId=${batchId}`)) as { items: { cardId: string }[] };
    const [cardId = "", unseen = ""] = items.map((each) => each.cardId);
    await scheme.post(`/cards/${cardCode(cardId)}/link`, { householdDid: cardFamily });
    await scheme.post(`/cards/${cardId}/activate`, {});
    await test.stack.call("PUT", `/v1/households/${encodeURIComponent(cardFamily)}/pin`, { pin: "735914" });
    const page = await openTill("/supplier/redeem", 300);
    await type(page, cardId);
    await page.getByRole("button", { name: /^400 CARBON/ }).click();
    await page.getByLabel("Product").and(page.locator("input")).waitFor();
    await page.waitForFunction(async () => (await (await caches.open("hearth-console-1")).keys()).length > 10);
    await page.context().setOffline(true);
    await page.getByText("No network").waitFor();
    await type(page, cardCode(unseen));
    await page.getByText("This device has not seen this card before").waitFor();
    await screenshot(page, "supplier-card-unseen-phone");
    await assertAccessible(page);
    await type(page, cardCode(cardId));
    await page.getByText("the balances are those of the last time").waitFor();
    await screenshot(page, "supplier-card-kept-phone");
    await assertAccessible(page);
    await page.getByRole("button", { name: /^400 CARBON/ }).click();
    await order(page, "100.5");
    await page.getByLabel("PIN", { exact: false }).and(page.locator("input[type=password]")).fill("735914");
    await redeem(page);
    await page
      .getByText("this household may spend 100 CARBON until its orders are sent; 100 CARBON are left")
      .waitFor();
    await page.getByLabel("Amount (CARBON)").fill("70");
    await redeem(page);
    await page
      .getByRole("article", { name: /^Pending/ })
      .getByText("Not paid yet.")
      .waitFor();
    await page.getByRole("button", { name: "Next voucher" }).click();
    await type(page, cardCode(cardId));
    await page.getByRole("button", { name: /^400 CARBON/ }).click();
    await order(page, "31");
    await page.getByLabel("PIN", { exact: false }).and(page.locator("input[type=password]")).fill("735914");
    await redeem(page);
    await page.getByText("until its orders are sent; 30 CARBON are left").waitFor();
    await screenshot(page, "supplier-offline-limit-phone");
    await assertAccessible(page);
    // Another till has sent orders of this household meanwhile, which were pending at the same time.
    const { supplierDid, productId } = scheme;
    const elsewhere = { voucherId, supplierDid, productId, amount: 40, acceptedOffline: new Date().toISOString() };
    await scheme.post("/vouchers/redeem", elsewhere);
    await page.context().setOffline(false);
    await goTo(page, "/supplier/waiting");
    const refusal = page.getByRole("article", { name: /^Refused/ });
    await refusal.getByText("offline-within-limit").waitFor();
    await refusal.getByText("The household spent more without a network than it may").waitFor();
    await screenshot(page, "supplier-offline-conflict-phone");
    await assertAccessible(page);
    assert.equal(await leftOf(voucherId), 360);
  });

  it("settle once although the answer to the first attempt is lost", async () => {
    const voucherId = await scheme.issue(family, 30);
    const page = await openTill();
    await type(page, voucherId);
    await page.getByText("30 CARBON").waitFor();
    let tries = 0;
    await page.route("**/v1/vouchers/redeem", async (route) => {
      tries += 1;
      const answer = await route.fetch();
      assert.equal(answer.status(), 201);
      await (tries === 1 ? route.abort("connectionreset") : route.fulfill({ response: answer }));
    });
    await order(page, "7");
    await redeem(page);
    await page.getByRole("article", { name: /^Pending/ }).waitFor();
    await page.getByRole("link", { name: "1 order waits" }).click();
    const settled = page.getByRole("article", { name: /^Settled/ });
    // The page also retries automatically; either may come first.
    await Promise.any([page.getByRole("button", { name: "Send now" }).click(), settled.waitFor()]);
    await settled.waitFor();
    assert.equal(tries, 2);
    await sees(() => leftOf(voucherId), 23);
  });

  it("settle once with two tabs of one till", async () => {
    const voucherId = await scheme.issue(family, 40);
    const page = await openTill("/supplier/redeem", 0, true);
    await type(page, voucherId);
    await page.getByText("40 CARBON").waitFor();
    const other = await page.context().newPage();
    await other.goto(`${test.stack.url}/console/supplier/waiting`);
    await other.getByRole("heading", { name: "Waiting orders" }).waitFor();
    // Count the requests that arrived; a request without a network is not an order.
    let answered = 0;
    page.context().on("response", (response) => {
      if (response.url().endsWith("/v1/vouchers/redeem")) answered += 1;
    });
    await page.context().setOffline(true);
    await order(page, "9");
    await redeem(page);
    await page.getByRole("article", { name: /^Pending/ }).waitFor();
    await page.context().setOffline(false);
    await page.getByRole("article", { name: /^Settled/ }).waitFor();
    await other.reload();
    await other.getByRole("article", { name: /^Settled/ }).waitFor();
    assert.equal(answered, 1);
    await sees(() => leftOf(voucherId), 31);
  });
});

/** Runs in the page: a wallet of the household. */
function giveWallet(address: string): void {
  const { signAsHousehold } = window as unknown as { signAsHousehold: (text: string) => Promise<string> };
  const request = async ({ method, params }: { method: string; params?: string[] }) => {
    if (method === "eth_requestAccounts") return [address];
    if (method === "eth_signTypedData_v4") return signAsHousehold(params?.[1] ?? "");
    throw new Error(`${method} is not known.`);
  };
  (window as unknown as { ethereum: unknown }).ethereum = { request };
}

/** Runs in the page: everything stored in the queue's database, as text. */
async function readQueueAsText(): Promise<string> {
  const database = await new Promise<IDBDatabase>((resolve, reject) => {
    const opening = indexedDB.open("hearth-supplier");
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  });
  const rows = await new Promise<{ data: ArrayBuffer }[]>((resolve, reject) => {
    const reading = database.transaction("orders").objectStore("orders").getAll();
    reading.onsuccess = () => resolve(reading.result);
    reading.onerror = () => reject(reading.error);
  });
  if (rows.length === 0) throw new Error("The queue is empty.");
  return rows.map(({ data }) => new TextDecoder("latin1").decode(data)).join("\n");
}
