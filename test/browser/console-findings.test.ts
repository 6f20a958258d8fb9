import { after, before, describe, it } from "node:test";
import { withoutBrowser } from "../support/browser.ts";
import { assertAccessible, type ConsoleTest, phone, screenshot, signIn } from "./console.ts";
import { type ConsoleScheme, createConsoleScheme } from "./console-scheme.ts";
import { openSharedConsole } from "./shared-console.ts";

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

  async function open(role: "evaluator" | "implementer", path: string) {
    const limits = role === "implementer" ? { implementerDid: scheme.implementerDid } : {};
    const { key } = await scheme.post("/keys", { role, name: role, ...limits });
    const page = await test.open(path, { size: phone });
    await signIn(page, String(key));
    return page;
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

  it("shows a verifier whether a campaign can be certified, its terms, its sample by position and its findings", async () => {
    const reveal = await scheme.joinDraw("KPT-FOUND");
    await scheme.post("/campaigns/KPT-FOUND/draw", {});
    await reveal();
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
});
