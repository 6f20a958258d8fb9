import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { cardCode } from "../../wire/src/index.ts";
import { withoutBrowser } from "../support/browser.ts";
import { untilFound } from "../support/until.ts";
import { assertAccessible, type ConsoleTest, goTo, phone, screenshot, signIn } from "./console.ts";
import { createConsoleScheme, follow } from "./console-scheme.ts";
import { openSharedConsole } from "./shared-console.ts";
import { tellTheStory } from "./story.ts";

const pin = "735914";
const number = "+260977000111";

type Voucher = { id: string; recipientDid: string };
type Card = { cardId: string; place: number; status: string };

describe("households without a smartphone", { skip: withoutBrowser() }, () => {
  let test: ConsoleTest;
  let admin: Page;
  /** A voucher of the example scheme that can be spent, and what was bought from whom before. */
  let voucher: Voucher;
  let bought: { supplierDid: string; productId: string };

  before(async () => {
    test = await openSharedConsole();
    await tellTheStory(test.stack);
    voucher = (await listed<Voucher>("/v1/vouchers?status=active&limit=1"))[0] as Voucher;
    bought = (await listed<typeof bought>("/v1/redemptions?limit=1"))[0] as typeof bought;
    admin = await test.open();
    await signIn(admin);
  });
  after(() => test?.close());

  async function listed<Item>(path: string): Promise<Item[]> {
    const { status, body } = await test.stack.call("GET", path);
    assert.equal(status, 200);
    return body.items as Item[];
  }
  const dialog = () => admin.getByRole("dialog");
  const button = (name: string) => dialog().getByRole("button", { name, exact: true });

  it("get cards: a batch is made and printed, a card linked, handed over, blocked and replaced", async () => {
    const before = new Set((await listed<{ batchId: string }>("/v1/card-batches")).map(({ batchId }) => batchId));
    await goTo(admin, "/implementer/cards");
    await admin.getByRole("button", { name: "Make cards" }).click();
    await dialog().getByRole("combobox", { name: "Implementer you act for" }).click();
    await admin.getByRole("option").first().click();
    await dialog().getByRole("textbox", { name: "Cards" }).fill("3");
    await dialog().getByRole("combobox", { name: "Language" }).click();
    await admin.getByRole("option", { name: "Kiswahili" }).click();
    await assertAccessible(admin);
    await button("Make cards").click();
    await dialog().waitFor({ state: "detached" });
    const batchId = await untilFound(async () =>
      (await listed<{ batchId: string }>("/v1/card-batches")).map((each) => each.batchId).find((id) => !before.has(id)),
    );
    await screenshot(admin, "card-batches");
    await admin.getByRole("link", { name: batchId }).click();
    const download = admin.waitForEvent("download");
    await admin.getByRole("button", { name: "8 a page" }).click();
    assert.equal((await download).suggestedFilename(), `cards ${batchId}.pdf`);

    const cards = await listed<Card>(`/v1/cards?batchId=${batchId}`);
    const [first, second] = cards.map(({ cardId }) => cardCode(cardId)) as [string, string];
    const act = (action: string, code: string) => admin.getByRole("button", { name: `${action} ${code}` }).click();
    const row = (code: string) => admin.getByRole("row").filter({ hasText: code });
    await act("Link", first);
    await dialog().getByRole("textbox", { name: "Household" }).fill(voucher.recipientDid);
    await button("Link").click();
    await row(first).getByText("Linked").waitFor();
    await act("Hand over", first);
    await button("Hand over").click();
    await row(first).getByText("Active").waitFor();
    await act("Block", first);
    await dialog().getByRole("textbox", { name: "Reason" }).fill("lost at the market");
    await button("Block").click();
    await row(first).getByText("Blocked").waitFor();
    await act("Replace", first);
    const wrong = second.slice(0, -1) + ((Number(second.at(-1)) + 1) % 10);
    await dialog().getByRole("textbox", { name: "New card" }).fill(wrong);
    await dialog().getByRole("textbox", { name: "Reason" }).fill("lost at the market");
    await button("Replace").click();
    await dialog().getByText("Enter the card’s 12 digits again").waitFor();
    await dialog().getByRole("textbox", { name: "New card" }).fill(second);
    await assertAccessible(admin);
    await button("Replace").click();
    await row(second).getByText("Linked").waitFor();
    await row(first).getByText("Replaced").waitFor();
    await screenshot(admin, "cards");
  });

  it("get a PIN and another one with a reason, and a phone", async () => {
    await goTo(admin, "/implementer/access");
    await admin.getByRole("textbox", { name: "DID of the household" }).fill(voucher.recipientDid);
    await admin.getByRole("button", { name: "Find" }).click();
    await admin.getByText("The household has no PIN.").waitFor();
    await admin.getByRole("button", { name: "Set a PIN" }).click();
    await dialog().getByLabel("PIN of 4 to 6 digits").fill("482913");
    await dialog().getByLabel("The same PIN again").fill("482914");
    await button("Save the PIN").click();
    await dialog().getByText("The two PINs differ.").waitFor();
    await dialog().getByLabel("The same PIN again").fill("482913");
    await button("Save the PIN").click();
    await admin.getByText("The household has a PIN. 5 tries are left.").waitFor();
    await admin.getByRole("button", { name: "Set another PIN" }).click();
    await dialog().getByLabel("PIN of 4 to 6 digits").fill(pin);
    await dialog().getByLabel("The same PIN again").fill(pin);
    await dialog().getByRole("textbox", { name: "Reason" }).fill("forgotten");
    await button("Save the PIN").click();
    await admin.getByRole("listitem").filter({ hasText: "forgotten" }).waitFor();
    await admin.getByRole("button", { name: "Register a phone" }).click();
    await dialog().getByRole("textbox", { name: "Phone number" }).fill(number);
    await button("Register a phone").click();
    await admin.getByRole("button", { name: `Remove ${number}` }).waitFor();
    await assertAccessible(admin);
    await screenshot(admin, "household-access");
  });

  it("can be tried: the simulator's phone gets an SMS, and pays with the PIN", async () => {
    await goTo(admin, "/admin/simulator");
    await admin.getByRole("textbox", { name: "Phone number" }).fill(number);
    const dial = () => admin.getByRole("button", { name: "Dial the short code" }).click();
    const answer = async (text: string) => {
      await admin.getByRole("textbox", { name: "Your answer" }).fill(text);
      await admin.getByRole("button", { name: "Send", exact: true }).click();
    };
    await dial();
    await admin.getByText("2 Approve a purchase").waitFor();
    const asked = await test.stack.call("POST", "/v1/phones/requests", {
      voucherId: voucher.id,
      supplierDid: bought.supplierDid,
      productId: bought.productId,
      amount: 0.5,
    });
    assert.equal(asked.status, 201, JSON.stringify(asked.body));
    await admin.getByText(/asks you for 0\.5 CARBON/).waitFor();
    await answer("2");
    await admin.getByText("Enter your PIN to agree, 0 to refuse.").waitFor();
    await assertAccessible(admin);
    await screenshot(admin, "phone-simulator");
    await answer(pin);
    await admin.getByText(/You agreed/).waitFor();
    await admin.getByText(/^You paid 0\.5 CARBON/).waitFor();
    await admin.getByText("The session has ended. Dial again.").waitFor();
    const { body } = await test.stack.call("GET", `/v1/phones/requests/${asked.body.requestId}`);
    assert.equal(body.status, "approved");
  });

  it("agree at the till, in the ways that are accepted: with a code by SMS, and on the phone with the PIN", async () => {
    const shop = await createConsoleScheme(test.stack, "phones");
    const [household, theirNumber] = ["did:x:household-of-phones/1", "+260977000222"];
    await shop.post("/households", { did: household, region: "Lusaka" });
    await shop.certify("CERT-BY-PHONE", 60, [household]);
    const started = await shop.post("/vouchers/issue-batch", {
      emissionCertificateId: "CERT-BY-PHONE",
      attributes: { batchId: "BATCH-BY-PHONE", issuanceDate: "2025-01-01", expiryDate: "2099-12-31" },
      codes: { perVoucher: 2, language: "en" },
    });
    await follow(shop.until, String(started.operationId));
    const voucherId = await shop.until("/vouchers?batchId=BATCH-BY-PHONE", ({ items }) => (items as Voucher[])[0]?.id);
    const leftOf = async () => (await shop.get(`/vouchers/${voucherId}`)).remainingBalance;
    const till = await test.open("/supplier/redeem", { size: phone, expected: /net::ERR_INTERNET_DISCONNECTED/ });
    await signIn(till);
    await till.getByLabel("Supplier you act for").and(till.locator("input")).click();
    await till.getByRole("option", { name: new RegExp(shop.supplierDid) }).click();
    const order = async (amount: string) => {
      await till.getByLabel("Voucher", { exact: false }).and(till.locator("input")).fill(voucherId);
      await till.getByRole("button", { name: "Look it up" }).click();
      await till.getByLabel("Product").and(till.locator("input")).click();
      await till.getByRole("option", { name: shop.productName }).click();
      await till.getByLabel("Amount (CARBON)").fill(amount);
    };
    const byCode = till.getByRole("radio", { name: "The household shows a code of its paper" });
    const byPhone = till.getByRole("radio", { name: "The household approves on its phone" });
    await order("5");
    // The household has no account, so it cannot sign.
    await till.getByText("Signature: the household has no account to sign with.").waitFor();
    assert.equal(await till.getByRole("radio", { name: /signs|signed/ }).count(), 0);
    await byCode.click();
    const sendCode = till.getByRole("button", { name: "Send the code to the household’s phone" });
    await sendCode.click();
    await till.getByText("The household has no registered phone.").waitFor();
    await shop.post("/phones", { householdDid: household, number: theirNumber, language: "en" });
    await sendCode.click();
    await till.getByText("An SMS with the code is on its way.").waitFor();
    await screenshot(till, "till-code-by-sms-phone");
    await assertAccessible(till);
    const code = await untilFound(async () => {
      for (const { id } of await listed<{ id: string }>("/v1/phones/gateways")) {
        for (const { text } of await listed<{ text: string }>(`/v1/phones/gateways/${id}/messages`)) {
          const found = /[0-9A-Z]{4}(?:-[0-9A-Z]{4}){3}/.exec(text)?.[0];
          if (found !== undefined) return found;
        }
      }
      return undefined;
    });
    await till.getByRole("textbox", { name: /^Code/ }).fill(code);
    await till.getByRole("button", { name: "Redeem", exact: true }).click();
    await till.getByText("Recorded on chain").waitFor();
    assert.equal(await leftOf(), 55);

    const set = await test.stack.call("PUT", `/v1/households/${encodeURIComponent(household)}/pin`, { pin });
    assert.equal(set.status, 200, JSON.stringify(set.body));
    const answer = async (...texts: string[]) => {
      await goTo(admin, "/admin/simulator");
      await admin.getByRole("textbox", { name: "Phone number" }).fill(theirNumber);
      await admin.getByRole("button", { name: "Dial the short code" }).click();
      for (const text of ["2", ...texts]) {
        await admin.getByRole("textbox", { name: "Your answer" }).fill(text);
        await admin.getByRole("button", { name: "Send", exact: true }).click();
        await admin
          .getByText(text === "2" ? "Enter your PIN to agree, 0 to refuse." : /You agreed|You refused/)
          .waitFor();
      }
    };
    const ask = async (amount: string) => {
      await order(amount);
      await byPhone.click();
      await till.getByRole("button", { name: "Ask the household’s phone" }).click();
      await till.getByText("The household was asked.").waitFor();
    };
    await till.getByRole("button", { name: "Next voucher" }).click();
    await ask("4");
    await screenshot(till, "till-phone-waiting-phone");
    await assertAccessible(till);
    await till.context().setOffline(true);
    await till.getByText("No network: the household can still answer.").waitFor();
    await answer("0");
    await till.context().setOffline(false);
    await till.getByText("The household refused. Nothing was paid.").waitFor();
    await till.getByRole("button", { name: "Try again or choose another way" }).click();
    // The next voucher ends the question, so the household cannot pay as well.
    await ask("7");
    await till.getByRole("button", { name: "Next voucher" }).click();
    await till.getByRole("button", { name: "Look it up" }).waitFor();
    await goTo(admin, "/admin/simulator");
    await admin.getByRole("textbox", { name: "Phone number" }).fill(theirNumber);
    await admin.getByRole("button", { name: "Dial the short code" }).click();
    await admin.getByRole("textbox", { name: "Your answer" }).fill("2");
    await admin.getByRole("button", { name: "Send", exact: true }).click();
    await admin.getByText("No purchase waits for you.").waitFor();
    // Without a network it is not known whether the household pays, so the till stays with the question.
    await ask("6");
    await till.context().setOffline(true);
    await till.getByRole("button", { name: "Next voucher" }).click();
    await till.getByText("The request is not cancelled.").waitFor();
    await assertAccessible(till);
    await screenshot(till, "till-phone-not-cancelled-phone");
    await answer(pin);
    await till.context().setOffline(false);
    await till.getByText("Recorded on chain").waitFor();
    await screenshot(till, "till-phone-approved-phone");
    await assertAccessible(till);
    assert.equal(await leftOf(), 49);
    await shop.until(`/redemptions?voucherId=${voucherId}`, ({ items }) => {
      const levels = (items as { consent: string }[]).map(({ consent }) => consent).sort();
      return levels.join() === "code,pin" ? true : undefined;
    });
    await till.setViewportSize({ width: 1280, height: 800 });
    await till.getByRole("button", { name: "Next voucher" }).click();
    await order("100");
    await till.getByText("The household cannot agree to this amount in any way now").or(byPhone).first().waitFor();
    await screenshot(till, "till-ways-desktop");

    // Its trace says in words how the household agreed.
    await goTo(admin, `/regulator/trace/${voucherId}`);
    await admin.getByRole("tab", { name: /^History/ }).click();
    const paid = admin.getByRole("row").filter({ hasText: "Voucher redeemed" }).last();
    await paid.getByText("Details").click();
    await paid.getByRole("row", { name: "Left on the voucher 49 CARBON" }).waitFor();
    await paid.getByRole("row", { name: "How the household agreed PIN" }).waitFor();
    await assertAccessible(admin);
    await screenshot(admin, "trace-history-words");
  });

  it("are reached by a gateway, whose URLs are shown once, and which ends", async () => {
    await goTo(admin, "/admin/gateways");
    await admin.getByRole("row").filter({ hasText: "Simulator" }).getByText("Valid").waitFor();
    await admin.getByRole("button", { name: "Add a gateway" }).click();
    await dialog().getByRole("combobox", { name: "Kind" }).click();
    await admin.getByRole("option", { name: "Kannel" }).click();
    for (const [field, text] of [
      ["Name", "Gateway of the test"],
      ["URL", "http://127.0.0.1:9"],
      ["User name", "hearth"],
    ] as const) {
      await dialog().getByRole("textbox", { name: field, exact: true }).fill(text);
    }
    await dialog().getByLabel("Password").fill("password-of-the-gateway");
    await assertAccessible(admin);
    await button("Make the gateway").click();
    const url = dialog().locator("code");
    await url.waitFor();
    assert.match((await url.textContent()) ?? "", /\/phones\/key\/hg_[^/]+\/sms\?id=%I&from=%p&to=%P&text=%b$/);
    // The form's dialog may still be closing.
    await dialog()
      .filter({ has: admin.locator("code") })
      .getByRole("button", { name: "Close" })
      .click();
    await goTo(admin, "/admin/simulator");
    await admin.getByRole("textbox", { name: "Phone number" }).fill(number);
    await admin.getByRole("button", { name: "Dial the short code" }).click();
    await admin
      .getByText(/A simulator would take the SMS/)
      .first()
      .waitFor();
    await goTo(admin, "/admin/gateways");
    const row = admin.getByRole("row").filter({ hasText: "Kannel" });
    await row.getByRole("button", { name: /^End Kannel/ }).click();
    await button("End").click();
    await row.getByText("Ended").waitFor();
    await screenshot(admin, "gateways");
  });
});
