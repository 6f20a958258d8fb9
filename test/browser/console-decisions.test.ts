import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { withoutBrowser } from "../support/browser.ts";
import { assertAccessible, type ConsoleTest, goTo, type PageOptions, phone, screenshot, signIn } from "./console.ts";
import { type ConsoleScheme, createConsoleScheme } from "./console-scheme.ts";
import { readDemo } from "./first-walks.ts";
import { openSharedConsole } from "./shared-console.ts";
import { tellTheStory } from "./story.ts";

const family = "did:x:family-of-decisions";

/** Each decision is taken on the page of its record, by a person with the role for it. */
describe("decisions in the console", { skip: withoutBrowser() }, () => {
  let test: ConsoleTest;
  let scheme: ConsoleScheme;
  let conversionId: string;
  let voucherId: string;
  before(async () => {
    test = await openSharedConsole();
    const { output } = await tellTheStory(test.stack);
    conversionId = readDemo(output).conversionId;
    scheme = await createConsoleScheme(test.stack, "decisions");
    await scheme.post("/households", { did: family, region: "Lusaka" });
    voucherId = await scheme.issue(family, 100);
  });
  after(() => test?.close());

  type Role = "regulator" | "evaluator";
  async function open(role: Role, path: string, options: PageOptions = { size: phone }): Promise<Page> {
    const { key } = await scheme.post("/keys", { role, name: `${role} who decides` });
    const page = await test.open(path, options);
    await signIn(page, String(key));
    return page;
  }
  const trace = (id: string) => `/regulator/trace/${encodeURIComponent(id)}`;
  /** Redeem a part of the household's voucher, and wait until its trace can be opened. */
  async function redeem(amount: number): Promise<string> {
    const { supplierDid, productId } = scheme;
    const { redemptionId } = await scheme.post("/vouchers/redeem", { voucherId, supplierDid, productId, amount });
    await indexed("redemption", String(redemptionId));
    return String(redemptionId);
  }
  async function claim(redemptionId: string): Promise<string> {
    const proof = await scheme.deliveryCredential({ redemptionId, recipient: family });
    const verifiableCredential = { type: "ProductDeliveryCredential", proof };
    const { id } = await scheme.post("/claims", { redemptionId, verifiableCredential });
    await indexed("claim", String(id));
    return String(id);
  }
  const indexed = (type: string, id: string) =>
    scheme.until(`/search?q=${encodeURIComponent(id)}`, ({ results }) =>
      (results as { type: string }[]).find((each) => each.type === type),
    );
  const decision = (page: Page) => page.getByRole("region", { name: "Decision" });
  const sees = (page: Page, text: string | RegExp) => decision(page).getByText(text).first().waitFor();
  /** Choose a decision, give its reason, and confirm it. */
  async function decide(page: Page, act: string, reason?: string, look?: (dialog: Page) => Promise<void>) {
    await decision(page).getByRole("button", { name: act, exact: true }).click();
    const dialog = page.getByRole("dialog");
    if (reason !== undefined) await dialog.getByLabel("Reason").fill(reason);
    await look?.(page);
    await dialog.getByRole("button", { name: act, exact: true }).click();
  }

  it("an evaluator flags a redemption, approves its claim, and another one upholds the dispute", async () => {
    const redemptionId = await redeem(20);
    const evaluator = await open("evaluator", trace(redemptionId));
    await decide(evaluator, "Flag the redemption", "The shop was closed that day.", async (page) => {
      await page.getByText(`The claim for redemption ${redemptionId} will be held for a review.`).waitFor();
      await screenshot(page, "decision-dialog-phone");
      await assertAccessible(page);
    });
    await sees(evaluator, "This redemption is flagged");
    await sees(evaluator, "Give the redemption back: Administrator or Supplier can do this.");
    await assertAccessible(evaluator);

    const claimId = await claim(redemptionId);
    await goTo(evaluator, "/");
    await evaluator.getByRole("link", { name: /flagged claims? waits? for a review/ }).click();
    await evaluator.getByRole("link", { name: `Decide about ${claimId}` }).click();
    await decide(evaluator, "Approve the claim", "The delivery note is right.");
    await sees(evaluator, "Approve the claim: recorded. State now: Approved.");
    await screenshot(evaluator, "decision-made-phone");

    await decide(evaluator, "Dispute the payment", "The household never got it.");
    await sees(evaluator, "State now: Disputed.");
    // The trace below comes from the index, and is read again until it has the decision.
    await evaluator.getByRole("tab", { name: /^History/ }).click();
    await evaluator.getByRole("cell", { name: "Claim disputed" }).waitFor();
    await decide(evaluator, "Uphold the dispute", "I say so.");
    const alert = evaluator.getByRole("dialog").getByRole("alert");
    await alert.getByText("Who raised a dispute does not resolve it: another evaluator must.").first().waitFor();
    await screenshot(evaluator, "decision-refused-phone");
    await assertAccessible(evaluator);

    const other = await open("evaluator", trace(claimId));
    await decide(other, "Uphold the dispute", "The household confirms it.");
    await sees(other, "State now: Invalidated.");
    await decision(other).getByRole("link", { name: "Council" }).waitFor();
    await assertAccessible(other);
    assert.equal((await scheme.get(`/claims/${claimId}`)).status, "invalidated");
  });

  it("a supplier gives a redemption back; a regulator sees who could", async () => {
    const redemptionId = await redeem(7);
    const regulator = await open("regulator", trace(redemptionId));
    await sees(regulator, "Give the redemption back: Administrator or Supplier can do this.");
    await sees(regulator, "Flag the redemption: Administrator or Evaluator can do this.");
    assert.equal(await decision(regulator).getByRole("button").count(), 0);
    await assertAccessible(regulator);
    await screenshot(regulator, "decision-of-others-phone");

    const key = { role: "supplier", supplierDid: scheme.supplierDid, name: "Gives back" };
    const { url } = await scheme.post("/invitations", { key, validMinutes: 60 });
    const supplier = await test.open(String(url).replace(/^.*\/console/, ""), { size: phone });
    await supplier.getByRole("button", { name: "Join on this device" }).click();
    await supplier.getByRole("heading", { level: 1, name: "Welcome" }).waitFor();
    await goTo(supplier, trace(redemptionId));
    await decide(supplier, "Give the redemption back", "The stove is out of stock.");
    await sees(supplier, "State now: Given back.");
    await assertAccessible(supplier);
    assert.equal((await scheme.get(`/redemptions/${redemptionId}`)).status, "reversed");
    const visitor = await test.open(trace(redemptionId), { size: phone });
    await visitor.getByRole("button", { name: "Continue without a key" }).click();
    await visitor.getByRole("button", { name: new RegExp(`^Redemption ${redemptionId}`) }).waitFor();
    assert.equal(await decision(visitor).count(), 0);
  });

  it("a regulator finalises the conversion that waits, with a serial for each tonne", async () => {
    const regulator = await open("regulator", "/");
    await regulator.getByRole("link", { name: /conversions? waits? for the registry/ }).click();
    await regulator.getByRole("link", { name: `Decide about ${conversionId}` }).click();
    await sees(regulator, /the implementer’s account can take the CARBON back from/);
    const { quantity } = await scheme.get(`/itmo/conversions/${conversionId}`);
    const first = 990_000_001;
    await decision(regulator).getByRole("button", { name: "Finalise the conversion" }).click();
    const dialog = regulator.getByRole("dialog");
    await dialog.getByLabel("Registry").fill("ZMB01");
    await dialog.getByLabel("First serial").fill(String(first));
    await dialog.getByLabel("Last serial").fill(String(first + Number(quantity)));
    await dialog.getByRole("button", { name: "Finalise the conversion" }).click();
    await dialog.getByText(/The serials must be one for each tonne/).waitFor();
    await screenshot(regulator, "decision-serials-phone");
    await assertAccessible(regulator);
    await dialog.getByLabel("Last serial").fill(String(first + Number(quantity) - 1));
    await dialog.getByRole("button", { name: "Finalise the conversion" }).click();
    await sees(regulator, "State now: Finalised.");
    await assertAccessible(regulator);
    assert.equal((await scheme.get(`/itmo/conversions/${conversionId}`)).status, "finalised");
  });

  it("a regulator suspends, reinstates and revokes a certificate, also in French, and stops a voucher", async () => {
    const certificateId = "CERT-OF-DECISIONS";
    await scheme.certify(certificateId, 5);
    await indexed("certificate", certificateId);
    const regulator = await open("regulator", trace(certificateId), {});
    await decide(regulator, "Suspend the certificate", "The meter was wrong.");
    await sees(regulator, "State now: Suspended.");
    await decide(regulator, "Reinstate the certificate", "The meter was right.");
    await sees(regulator, "State now: Valid.");
    await assertAccessible(regulator);
    await screenshot(regulator, "decision-certificate-desktop");

    const french = await open("regulator", trace(certificateId), { size: phone, locale: "fr-FR" });
    const section = french.getByRole("region", { name: "Décision" });
    await section.getByRole("button", { name: "Révoquer le certificat" }).click();
    const dialog = french.getByRole("dialog");
    await dialog.getByText(/le gardien peut y mettre son veto/).waitFor();
    await dialog.getByLabel("Motif").fill("Mesures inventées");
    await screenshot(french, "decision-french-phone");
    await dialog.getByRole("button", { name: "Révoquer le certificat" }).click();
    await section.getByText("État actuel : Révoqué").waitFor();
    await section.getByText(`veto-revocation ${certificateId}`).waitFor();
    await assertAccessible(french);

    // The next trace has the same heading.
    await goTo(regulator, "/");
    await goTo(regulator, trace(voucherId));
    await decide(regulator, "Suspend the voucher", "The household moved away.");
    await sees(regulator, "State now: Suspended.");
    await decide(regulator, "Reactivate the voucher", "It came back.");
    await sees(regulator, "State now: Active.");
    await sees(regulator, "Cancel the voucher: Administrator or Implementer can do this.");
  });

  it("a regulator suspends a supplier and authorises it again, and an evaluator has its claims held", async () => {
    const regulator = await open("regulator", "/regulator/participants");
    await regulator.getByRole("link", { name: `Decide about ${scheme.supplierDid}` }).click();
    await decide(regulator, "Suspend", "Its key was stolen.");
    await sees(regulator, "State now: Suspended.");
    await assertAccessible(regulator);
    await screenshot(regulator, "decision-supplier-phone");
    await decide(regulator, "Authorise again", "It has a new key.");
    await sees(regulator, "State now: Authorised.");
    const evaluator = await open("evaluator", `/regulator/participants?kind=supplier&did=${scheme.supplierDid}`);
    await decide(evaluator, "Hold its claims", "Many complaints.");
    await sees(evaluator, "Every claim of this supplier is held for a review.");
    await decide(evaluator, "Stop holding its claims", "All were answered.");
    await decision(evaluator).getByRole("button", { name: "Hold its claims", exact: true }).waitFor();
    await goTo(regulator, "/regulator/participants");
    await regulator.getByText("Implementers", { exact: true }).click();
    await regulator.getByRole("link", { name: `Decide about ${scheme.implementerDid}` }).click();
    await decide(regulator, "Suspend", "It does not answer.");
    await sees(regulator, "State now: Suspended.");
    await decide(regulator, "Authorise again", "It answered.");
    await sees(regulator, "State now: Registered.");
  });
});
