import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { createTestClient, http, parseEther } from "viem";
import { withoutBrowser } from "../support/browser.ts";
import { assertAccessible, type ConsoleTest, type PageOptions, phone, screenshot } from "./console.ts";
import { type ConsoleScheme, createConsoleScheme } from "./console-scheme.ts";
import { openSharedConsole } from "./shared-console.ts";
import { sees } from "./waiting.ts";
import { BrowserWallet, newAccount } from "./wallet.ts";

const family = "did:x:household-of-wallet/1";
const shop = "did:x:wallet-shop";

describe("the console with a browser wallet", { skip: withoutBrowser() }, () => {
  let test: ConsoleTest;
  let scheme: ConsoleScheme;
  const supplier = newAccount();
  before(async () => {
    test = await openSharedConsole({ system: "paid" });
    scheme = await createConsoleScheme(test.stack, "wallet");
    await scheme.post("/households", { did: family, region: "Lusaka" });
    await scheme.post("/suppliers", { did: shop, account: supplier.address, name: "Wallet Shop", region: "Lusaka" });
    const chain = createTestClient({ mode: "anvil", transport: http(test.stack.rpcUrl) });
    await chain.setBalance({ address: supplier.address, value: parseEther("10") });
  });
  after(() => test?.close());

  const walletOf = (account = supplier, chainId?: number) =>
    new BrowserWallet(test.stack.rpcUrl, { accounts: [account], ...(chainId === undefined ? {} : { chainId }) });

  /** Open the wallet tab of the sign-in page, with these wallets in the browser. */
  async function openWith(wallets: BrowserWallet[], options: PageOptions = {}): Promise<Page> {
    const page = await test.open("", options);
    const names = ["Test Wallet", "Other Wallet"];
    for (const [index, wallet] of wallets.entries()) {
      await wallet.install(page, { name: names[index] ?? "", rdns: `org.example.wallet${index}` });
    }
    await page.reload();
    await page.getByRole("tab", { name: /^(Wallet|Portefeuille)$/ }).click();
    return page;
  }

  async function signInWith(wallet: BrowserWallet, options: PageOptions = {}): Promise<Page> {
    const page = await openWith([wallet], options);
    await page.getByRole("button", { name: "Sign in with Test Wallet" }).click();
    await page.getByRole("heading", { name: "Welcome" }).waitFor();
    return page;
  }
  const isAsking = (wallet: BrowserWallet, method: string) =>
    wallet.asked.filter((call) => call.method === method).length;

  it("signs in as the supplier of the account, in this tab only, with a key that cannot be read", async () => {
    const page = await signInWith(walletOf());
    await page.getByRole("button", { name: "Supplier" }).click();
    await page.getByText(shop).waitFor();
    await screenshot(page, "wallet-menu-desktop");
    await page.keyboard.press("Escape");
    await assertAccessible(page);
    const { stored, url } = await page.evaluate(readStored);
    const token = /hs_[a-z0-9]{12}_[\w-]{43}/.exec(stored.tab)?.[0] ?? "";
    assert.notEqual(token, "");
    assert.ok(!stored.device.includes("hs_") && !url.includes("hs_"));
    assert.ok(!/"d":/.test(stored.tab), "there is no private key in the tab's storage");
    assert.deepEqual(await page.evaluate(readProofKeys), [{ extractable: false, exported: "InvalidAccessError" }]);
    await page.reload();
    await page.getByRole("heading", { name: "Welcome" }).waitFor();
    await page.getByRole("link", { name: "Redemptions" }).first().click();
    await page.getByText("You have redeemed no voucher yet.").waitFor();
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole("button", { name: "Sign in", exact: true }).waitFor();
  });

  it("signs out completely: the server ends the session, the browser deletes its key", async () => {
    const page = await signInWith(walletOf());
    const ended = page.waitForResponse((answer) => answer.request().method() === "DELETE");
    await page.getByRole("button", { name: "Supplier" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    assert.equal((await ended).status(), 204);
    await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
    await sees(() => page.evaluate(readProofKeys), []);
    assert.ok(!(await page.evaluate(readStored)).stored.tab.includes("hs_"));
  });

  it("reports that the owner refused, and can be asked again", async () => {
    const wallet = walletOf();
    wallet.refuses = true;
    const page = await openWith([wallet], { size: phone });
    await page.getByRole("button", { name: "Sign in with Test Wallet" }).click();
    await page.getByText("You refused in your wallet. Nothing was sent.").waitFor();
    await screenshot(page, "wallet-refused-phone");
    await assertAccessible(page);
    await page.getByRole("button", { name: "Sign in with Test Wallet" }).click();
    await page.getByRole("heading", { name: "Welcome" }).waitFor();
  });

  it("lists every wallet, and says what to do without one", async () => {
    const page = await openWith([walletOf(), walletOf(newAccount())]);
    await page.getByRole("button", { name: "Sign in with Other Wallet" }).waitFor();
    await page.getByRole("button", { name: "Sign in with Test Wallet" }).waitFor();
    await screenshot(page, "wallet-choice-desktop");
    const bare = await openWith([], { size: phone, locale: "fr-FR" });
    await bare.getByText("Aucun portefeuille trouvé dans ce navigateur.").waitFor();
    await screenshot(bare, "wallet-none-phone-fr");
    await assertAccessible(bare);
  });

  it("ends the session when another account is chosen, and signs that one in as a visitor", async () => {
    const wallet = walletOf();
    const page = await signInWith(wallet);
    await wallet.useAccount(newAccount());
    await page.getByText("You chose another account in your wallet").waitFor();
    await screenshot(page, "wallet-other-account-desktop");
    await page.getByRole("button", { name: "Sign in with Test Wallet" }).click();
    await page.getByRole("button", { name: "Visitor" }).waitFor();
    assert.equal(await page.getByRole("link", { name: "Redeem", exact: true }).count(), 0);
    await wallet.useAccount();
    await page.getByText("Your wallet no longer shows this site an account").waitFor();
  });

  it("adds the chain to the wallet before it signs, and reports when the wallet leaves the chain", async () => {
    const wallet = walletOf(supplier, 1);
    const page = await signInWith(wallet);
    assert.equal(isAsking(wallet, "wallet_addEthereumChain"), 1);
    await wallet.useChain(1);
    await page.getByText("Your wallet is on another network.").waitFor();
    await screenshot(page, "wallet-other-chain-desktop");
    await assertAccessible(page);
    await page.getByRole("button", { name: "Change network" }).click();
    await page.getByText("Your wallet is on another network.").waitFor({ state: "detached" });
    assert.equal(wallet.chainId, 31337);
    await wallet.tell("disconnect", { code: 4900 });
    await page.getByText("Test Wallet is not connected.").waitFor();
    await wallet.tell("connect", { chainId: "0x7a69" });
    await page.getByText("Test Wallet is not connected.").waitFor({ state: "detached" });
  });

  it("revokes a suspended supplier's rights during the session, and says so", async () => {
    const path = `/suppliers/${encodeURIComponent(shop)}`;
    const change = (status: string) => test.stack.call("PATCH", `/v1${path}`, { status, reason: "test" });
    const page = await signInWith(walletOf());
    assert.equal((await change("suspended")).status, 200);
    try {
      await page.reload();
      await page.getByText("This account does not have the role Supplier at the moment").waitFor();
      await screenshot(page, "wallet-suspended-desktop");
    } finally {
      assert.equal((await change("authorised")).status, 200);
    }
    await page.reload();
    await page.getByRole("heading", { name: "Welcome" }).waitFor();
    await page.getByText("This account does not have the role Supplier").waitFor({ state: "detached" });
  });

  it("redeems a voucher and claims the delivery with transactions of the supplier's account", async () => {
    const voucherId = await scheme.issue(family, 100);
    const wallet = walletOf();
    const page = await signInWith(wallet, { size: phone });
    page.on("dialog", (dialog) => void dialog.accept());
    await page.goto(`${test.stack.url}/console/supplier/redeem`);
    await page.getByLabel("Voucher", { exact: false }).and(page.locator("input")).fill(voucherId);
    await page.getByRole("button", { name: "Look it up" }).click();
    await page.getByText("100 CARBON").waitFor();
    await page.getByLabel("Product").and(page.locator("input")).click();
    await page.getByRole("option", { name: scheme.productName }).click();
    await page.getByLabel("Amount (CARBON)").fill("12.5");
    wallet.refuses = true;
    await page.getByRole("button", { name: "Send from my wallet" }).click();
    await page.getByText("You refused in your wallet. Nothing was sent.").waitFor();
    await page.getByRole("button", { name: "Send from my wallet" }).click();
    await page.getByText("Recorded on chain").waitFor();
    await screenshot(page, "wallet-redeemed-phone");
    await assertAccessible(page);
    const redemptionId =
      (await page
        .getByText(/^REDM-/)
        .first()
        .textContent()) ?? "";
    await page.getByRole("link", { name: "Claim the delivery" }).click();
    const delivery = { redemptionId, recipient: family, productId: scheme.productId, supplierDid: shop, quantity: 1 };
    const subject = { ...delivery, deliveredAt: new Date().toISOString() };
    const credential = await scheme.field.signCredential({ type: "ProductDeliveryCredential", subject });
    await page.getByLabel("Delivery credential").fill(credential);
    await page.getByRole("button", { name: "File it from my wallet" }).click();
    await page.getByText("The claim was filed").waitFor();
    await screenshot(page, "wallet-claimed-phone");
    assert.equal(isAsking(wallet, "eth_sendTransaction"), 3);
    assert.equal((await scheme.get(`/vouchers/${voucherId}`)).remainingBalance, 87.5);
    const redemption = await scheme.get(`/redemptions/${redemptionId}`);
    assert.equal(redemption.supplierDid, shop);
    assert.notEqual(redemption.status, "pending_delivery");
  });

  it("shows the oracle's price, pays a deposit, and sends the refused message again", async () => {
    const wallet = walletOf();
    await test.stack.call("POST", "/v1/dev/faucet", { account: supplier.address, amount: 100 });
    const page = await signInWith(wallet);
    await page.goto(`${test.stack.url}/console/chat`);
    await page.getByRole("button", { name: "New conversation" }).first().click();
    await page.getByText("A message costs 0.25 USD. Your first one is free.").waitFor();
    const say = async (text: string) => {
      await page.getByLabel("Message to the oracle").fill(text);
      await page.getByRole("button", { name: "Send" }).click();
    };
    const answers = page.locator("article[data-type=ai]");
    await say("hello");
    await answers.first().waitFor();
    await page.getByLabel("Message to the oracle").waitFor();
    await say("what is the weather in Lusaka?");
    await page.getByRole("dialog").getByText("The oracle asks for payment").waitFor();
    await page.getByLabel("2.50 USD for 10 messages").check();
    await screenshot(page, "wallet-deposit-desktop");
    await assertAccessible(page);
    wallet.refuses = true;
    await page.getByRole("button", { name: "Pay the deposit" }).click();
    await page.getByText("You refused in your wallet. Nothing was sent.").waitFor();
    await page.getByRole("button", { name: "Pay the deposit" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await answers.nth(1).waitFor();
    assert.equal(isAsking(wallet, "eth_sendTransaction"), 3);
    const sent = page.locator("article[data-type=human]").filter({ hasText: "what is the weather in Lusaka?" });
    assert.equal(await sent.count(), 1);
  });
});

/** Runs in the page. */
function readStored() {
  const stored = { tab: JSON.stringify({ ...sessionStorage }), device: JSON.stringify({ ...localStorage }) };
  return { stored, url: location.href };
}

/** Runs in the page: the stored proof keys, and the result of exporting one. */
async function readProofKeys(): Promise<{ extractable: boolean; exported: string }[]> {
  const database = await new Promise<IDBDatabase>((resolve, reject) => {
    const opening = indexedDB.open("hearth-proof-keys");
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  });
  const rows = await new Promise<{ key: CryptoKey }[]>((resolve, reject) => {
    const reading = database.transaction("keys").objectStore("keys").getAll();
    reading.onsuccess = () => resolve(reading.result);
    reading.onerror = () => reject(reading.error);
  });
  database.close();
  return await Promise.all(
    rows.map(async ({ key }) => ({
      extractable: key.extractable,
      exported: await crypto.subtle.exportKey("jwk", key).then(
        () => "taken out",
        (error: Error) => error.name,
      ),
    })),
  );
}
