import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import type { Page } from "playwright-core";
import { withoutBrowser } from "../support/browser.ts";
import { assertAccessible, type ConsoleTest, phone, screenshot, signIn } from "./console.ts";
import { type ConsoleScheme, createConsoleScheme } from "./console-scheme.ts";
import { openSharedConsole } from "./shared-console.ts";

const family = "did:x:household-of-questions/1";

describe("the console's conversations without a language model", { skip: withoutBrowser() }, () => {
  let test: ConsoleTest;
  let scheme: ConsoleScheme;
  let voucherId: string;
  let certificateId: string;
  let key: string;
  let jwk: JWK;
  before(async () => {
    test = await openSharedConsole({ args: ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"] });
    scheme = await createConsoleScheme(test.stack, "questions");
    await scheme.post("/households", { did: family, region: "Lusaka" });
    voucherId = await scheme.issue(family, 100);
    const voucher = await scheme.get(`/vouchers/${voucherId}`);
    certificateId = String(voucher.emissionCertificateId);
    const { supplierDid, productId } = scheme;
    await scheme.post("/vouchers/redeem", { voucherId, supplierDid, productId, amount: 12.5 });
    const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
    jwk = await exportJWK(privateKey);
    const { kty, crv, x, y } = await exportJWK(publicKey);
    const publicJwk = { kty, crv, x, y };
    key = String((await scheme.post("/keys", { role: "supplier", name: "asks", supplierDid, publicJwk })).key);
    // The answers come from the index.
    await scheme.until(`/redemptions?voucherId=${voucherId}`, ({ items }) => (items as unknown[])[0]);
  });
  after(() => test?.close());

  const thread = (page: Page) => page.getByRole("region", { name: "Conversation", exact: true });
  const ask = async (page: Page, question: string) => {
    // The oracle takes a question once it has answered the one before.
    await idle(page);
    const before = await thread(page).getByRole("article").count();
    await page.getByRole("textbox", { name: "Message to the oracle" }).fill(question);
    await page.keyboard.press("Enter");
    await thread(page)
      .getByRole("article")
      .nth(before + 1)
      .waitFor();
    await idle(page);
  };
  const idle = (page: Page) => page.locator("section[aria-busy=false]").waitFor();
  const answer = (page: Page) => thread(page).getByRole("article").last();
  const assertForPeople = async (page: Page) => {
    const text = (await thread(page).textContent()) ?? "";
    assert.doesNotMatch(text, /\/tool|\{"|load_capability/);
  };

  it("name a record, link to its trace, and know which voucher is meant", async () => {
    const page = await test.open("/chat");
    await signIn(page);
    await page.getByRole("button", { name: "Is anything wrong?" }).click();
    await answer(page)
      .getByText(/Nothing is counted twice|failed/)
      .waitFor();
    await ask(page, `What is ${certificateId}?`);
    await answer(page)
      .getByText(/is a certificate, valid\./)
      .waitFor();
    await answer(page).getByRole("link", { name: certificateId }).first().waitFor();
    await ask(page, `What is left on ${voucherId}?`);
    await answer(page).getByText("87.5 of 100 CARBON are left.").waitFor();
    await ask(page, "What is the state of this voucher?");
    await answer(page).getByText(`Voucher ${voucherId} is active.`).waitFor();
    await ask(page, "What is the weather in Lusaka?");
    await answer(page)
      .getByText(/In Lusaka it is/)
      .waitFor();
    await ask(page, "Sing me a song.");
    await answer(page).getByText("I understand questions such as these:").waitFor();
    await assertForPeople(page);
    await assertAccessible(page);
    await screenshot(page, "questions-records-desktop");
    await page.reload();
  });

  it("tell a supplier on a phone what is owed to it", async () => {
    const page = await test.open("/chat", { size: phone, colorScheme: "dark" });
    await page.getByRole("button", { name: "Key pair (suppliers)" }).click();
    await page.getByLabel("Private JWK").fill(JSON.stringify(jwk));
    await signIn(page, key);
    await page.getByRole("button", { name: "What am I owed?" }).click();
    await answer(page).getByText("You are owed 12.5 CARBON", { exact: false }).waitFor();
    await thread(page).getByText("Owed to you").waitFor();
    await assertForPeople(page);
    await assertAccessible(page);
    await screenshot(page, "questions-owed-phone-dark");
  });

  it("answer in French, and visitors see what is public", async () => {
    const page = await test.open("/chat", { size: phone, locale: "fr-FR" });
    await page.getByRole("button", { name: "Continuer sans clé" }).click();
    await page.getByText("Aucun modèle de langage n’est connecté.").waitFor();
    await screenshot(page, "questions-none-phone-fr");
    await page.getByRole("button", { name: "Combien de bons sont actifs ?" }).click();
    await page
      .getByRole("article")
      .last()
      .getByText(/bons? actifs?\. Il y reste/)
      .waitFor();
    await page.getByRole("table", { name: "Bons par état" }).waitFor();
    await assertAccessible(page);
    await screenshot(page, "questions-phone-fr");
    // The conversation would cover the trace on a phone.
    await page.getByRole("article").last().getByRole("link").first().click();
    await page.getByRole("heading", { name: "Traçage", level: 1 }).waitFor();
    await page.getByRole("complementary", { name: "Oracle" }).waitFor({ state: "hidden" });
  });
});
