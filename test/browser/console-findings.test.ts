import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createTestClient, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { withoutBrowser } from "../support/browser.ts";
import { assertAccessible, type ConsoleTest, phone, screenshot, signIn } from "./console.ts";
import { type ConsoleScheme, createConsoleScheme } from "./console-scheme.ts";
import { openSharedConsole } from "./shared-console.ts";
import { sees } from "./waiting.ts";
import { BrowserWallet } from "./wallet.ts";

describe("the findings of a campaign", { skip: withoutBrowser() }, () => {
  let test: ConsoleTest;
  let scheme: ConsoleScheme;
  before(async () => {
    test = await openSharedConsole();
    scheme = await createConsoleScheme(test.stack, "findings");
    const frame = (name: string) => Array.from({ length: 3 }, (_, i) => `did:x:${name}-of-findings/${i}`);
    const groups = { reference: { frame: frame("control") }, intervention: { frame: frame("stove") } };
    for (const did of [...groups.reference.frame, ...groups.intervention.frame])
      await scheme.post("/households", { did });
    const testPeriod = { startDate: "2025-02-01", endDate: "2025-02-04" };
    const campaign = {
      campaignId: "KPT-FOUND",
      planId: scheme.planId,
      testPeriod,
      sampleSize: 2,
      season: "dry",
      groups,
    };
    // The first campaign over these households is abandoned: every later one names it.
    await scheme.post("/campaigns", { ...campaign, campaignId: "KPT-ABANDONED" });
    await scheme.post("/campaigns/KPT-ABANDONED/abandonment", { reason: "The scales were stolen." });
    await scheme.post("/campaigns", campaign);
  });
  after(() => test?.close());

  async function open(role: "evaluator" | "implementer" | "regulator", path: string, wallet?: BrowserWallet) {
    const limits = role === "implementer" ? { implementerDid: scheme.implementerDid } : {};
    const { key } = await scheme.post("/keys", { role, name: role, ...limits });
    const page = await test.open(path, { size: phone });
    if (wallet !== undefined) {
      await wallet.install(page);
      await page.reload();
    }
    await signIn(page, String(key));
    return page;
  }

  /** A wallet with the guardian's account, which may be a second party. */
  async function guardianWallet(): Promise<BrowserWallet> {
    const key = (await readFile(join(test.stack.dataDir, "keys", "guardian.key"), "utf8")).trim();
    return new BrowserWallet(test.stack.rpcUrl, { accounts: [privateKeyToAccount(`0x${key}`)] });
  }

  it("are opened by a verifier, answered by the implementer and closed by the verifier", async () => {
    const verifier = await open("evaluator", "/regulator/findings/KPT-FOUND");
    await verifier.getByText("No verifier has opened a finding.").waitFor();
    await verifier.getByRole("button", { name: "Open a finding" }).click();
    const form = verifier.getByRole("dialog");
    await form.getByRole("button", { name: "Open a finding" }).click();
    await form.getByText("required").first().waitFor();
    await form.getByLabel("Text").fill("The calibration of scale 7 is not shown.");
    await form.getByLabel("Reference").fill("TPDDTEC 4.2");
    await assertAccessible(verifier);
    await form.getByRole("button", { name: "Open a finding" }).click();
    await verifier.getByText("1 request is not closed").waitFor();
    await screenshot(verifier, "findings-open-phone");
    await assertAccessible(verifier);

    const implementer = await open("implementer", "/implementer/campaigns/KPT-FOUND");
    await implementer.getByRole("link", { name: "Verification and findings" }).click();
    await implementer.getByText("The calibration of scale 7 is not shown.").waitFor();
    await implementer.getByRole("button", { name: "Answer", exact: true }).click();
    const answer = implementer.getByRole("dialog");
    await answer.getByLabel("Text").fill("Its certificate is attached.");
    await answer.getByRole("button", { name: "Answer", exact: true }).click();
    await implementer.getByText("Answered", { exact: true }).waitFor();

    await verifier.reload();
    await verifier.getByText("Its certificate is attached.").waitFor();
    await verifier.getByRole("button", { name: "Close", exact: true }).click();
    const closure = verifier.getByRole("dialog");
    await closure.getByLabel("Text").fill("Resolved.");
    await closure.getByRole("button", { name: "Close", exact: true }).last().click();
    await verifier.getByText("Closed", { exact: true }).waitFor();
    await verifier.getByText("1 request is not closed").waitFor({ state: "detached" });
    await screenshot(verifier, "findings-closed-phone");
    await assertAccessible(verifier);
  });

  it("lets a verifier join the draw with a wallet, and reveal the secret from its file in another browser", async () => {
    const verifier = await open("evaluator", "/regulator/campaigns/KPT-FOUND", await guardianWallet());
    await verifier.getByRole("button", { name: "Join as the second party" }).click();
    const dialog = verifier.getByRole("dialog");
    await dialog.getByRole("button", { name: "Connect Test Wallet" }).click();
    await dialog.getByText("You sign with").waitFor();
    const sign = dialog.getByRole("button", { name: "Sign with the wallet" });
    assert.ok(await sign.isDisabled());
    const saving = verifier.waitForEvent("download");
    await dialog.getByRole("button", { name: "Save the secret as a file" }).click();
    const saved = await saving;
    assert.equal(saved.suggestedFilename(), "draw-KPT-FOUND.secret");
    const secret = await readFile(await saved.path(), "utf8");
    assert.match(secret, /^0x[0-9a-f]{64}$/);
    await screenshot(verifier, "draw-join-phone");
    await assertAccessible(verifier);
    await sign.click();
    await verifier.getByText("Second party: secret committed").waitFor();

    await scheme.post("/campaigns/KPT-FOUND/draw", {});
    const other = await open("evaluator", "/regulator/campaigns/KPT-FOUND");
    await other.getByRole("button", { name: "Reveal the secret" }).click();
    const reveal = other.getByRole("dialog");
    const file = { name: "draw.secret", mimeType: "text/plain", buffer: Buffer.from(`0x${"0".repeat(64)}\n`) };
    await reveal.locator("input[type=file]").setInputFiles(file);
    await reveal.getByRole("button", { name: "Reveal the secret" }).click();
    await reveal.getByText("No party of this draw committed to that secret.").waitFor();
    await screenshot(other, "draw-reveal-phone");
    await assertAccessible(other);
    await reveal.locator("input[type=file]").setInputFiles({ ...file, buffer: Buffer.from(secret) });
    await sees(() => reveal.getByLabel("Secret", { exact: false }).last().inputValue(), secret);
    await reveal.getByRole("button", { name: "Reveal the secret" }).click();
    await other.getByText("Neither party alone could have chosen it").waitFor();
    // The browser that joined still has the secret; nobody needs it any more.
    await verifier.reload();
    await verifier.getByText("Neither party alone could have chosen it").waitFor();
  });

  it("shows a verifier whether a campaign can be certified, its terms, its sample by position and its findings", async () => {
    const { groups } = (await scheme.get("/campaigns/KPT-FOUND")) as {
      groups: Record<"reference" | "intervention", { sample: string[] }>;
    };
    const [first, second] = groups.intervention.sample;
    const moved = { group: "intervention", householdId: first, reason: "moved" };
    await scheme.post("/campaigns/KPT-FOUND/replacements", { ...moved, evidence: "https://x.example/door.jpg" });
    await scheme.post("/campaigns/KPT-FOUND/missing", { ...moved, householdId: second, reason: "refused" });
    await scheme.post("/campaigns/KPT-FOUND/findings", { kind: "CL", text: "Who weighed the wood?" });

    const verifier = await open("evaluator", "/regulator/campaigns/KPT-FOUND");
    const verdict = verifier.getByRole("alert").filter({ hasText: "No certificate can be made from this result" });
    await verdict.getByText("The campaign is not closed yet: its result may change.").waitFor();
    await verdict.getByText("CL 2 is not closed: Who weighed the wood?").waitFor();
    await verdict.getByText("As measured").waitFor();
    const terms = verifier.getByRole("table", { name: "Terms that were committed before the draw" });
    await terms.getByText("two-sided at 0.9; wanted precision 0.1").waitFor();
    const sample = verifier.getByRole("table", { name: "Sample" });
    await sample.getByText("moved · replaced by position 2").waitFor();
    await sample.getByText("refused").waitFor();
    await verifier.getByRole("link", { name: "KPT-ABANDONED" }).waitFor();
    await verifier.getByText("Abandoned", { exact: true }).waitFor();
    await verifier.getByText("CL 2", { exact: true }).waitFor();
    await screenshot(verifier, "campaign-of-a-verifier-phone");
    await assertAccessible(verifier);

    await verifier.getByRole("combobox", { name: "State" }).selectOption({ label: "Missing" });
    await verifier.getByText("1 row", { exact: true }).waitFor();
    await verifier.getByRole("link", { name: "All findings with their answers" }).click();
    await verifier.getByRole("heading", { level: 1, name: "Verification of campaign KPT-FOUND" }).waitFor();
  });

  it("lets the regulator repeat a draw whose second party withheld its secret, after the time to reveal", async () => {
    const dids = ["did:x:control-of-findings/9", "did:x:stove-of-findings/9"] as const;
    for (const did of dids) await scheme.post("/households", { did });
    await scheme.post("/campaigns", {
      campaignId: "KPT-WITHHELD",
      planId: scheme.planId,
      testPeriod: { startDate: "2025-03-01", endDate: "2025-03-04" },
      sampleSize: 1,
      groups: { reference: { frame: [dids[0]] }, intervention: { frame: [dids[1]] } },
    });
    await scheme.joinDraw("KPT-WITHHELD");
    await scheme.post("/campaigns/KPT-WITHHELD/draw", {});
    const regulator = await open("regulator", "/regulator/campaigns/KPT-WITHHELD");
    await regulator.getByRole("button", { name: "Repeat the draw" }).click();
    const dialog = regulator.getByRole("dialog");
    const repeat = dialog.getByRole("button", { name: "Repeat the draw" });
    await repeat.click();
    await dialog.getByRole("alert").waitFor();
    await screenshot(regulator, "draw-repeat-phone");
    await assertAccessible(regulator);
    const chain = createTestClient({ mode: "anvil", transport: http(test.stack.rpcUrl) });
    await chain.increaseTime({ seconds: 86_401 });
    await chain.mine({ blocks: 1 });
    await repeat.click();
    await regulator.getByText("In round 1 a party did not reveal its secret:").waitFor();
    await regulator.getByRole("button", { name: "Join as the second party" }).waitFor();
  });
});
