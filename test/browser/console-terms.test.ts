import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { withoutBrowser } from "../support/browser.ts";
import { assertAccessible, type ConsoleTest, phone, screenshot, signIn } from "./console.ts";
import { type ConsoleScheme, createConsoleScheme } from "./console-scheme.ts";
import { openSharedConsole } from "./shared-console.ts";

/** Households of a campaign, those of the second group with a device. */
const framesOf = (name: string) => ({
  reference: [1, 2, 3].map((i) => `did:x:${name}/reference-${i}`),
  intervention: [1, 2, 3].map((i) => `did:x:${name}/intervention-${i}`),
});

describe("the terms of a campaign", { skip: withoutBrowser() }, () => {
  let test: ConsoleTest;
  let scheme: ConsoleScheme;
  let key: string;
  before(async () => {
    test = await openSharedConsole({ system: "paid" });
    scheme = await createConsoleScheme(test.stack, "terms");
    const { implementerDid } = scheme;
    key = String((await scheme.post("/keys", { role: "implementer", name: "terms", implementerDid })).key);
  });
  after(() => test?.close());

  async function open(path: string, size?: typeof phone): Promise<Page> {
    const page = await test.open(path, size && { size });
    await signIn(page, key);
    return page;
  }

  async function register(name: string): Promise<ReturnType<typeof framesOf>> {
    const frames = framesOf(name);
    for (const did of Object.values(frames).flat()) await scheme.post("/households", { did, region: "Lusaka" });
    for (const [i, householdDid] of frames.intervention.entries()) {
      const serial = `TERMS-${name}-${i}`;
      const device = { serial, model: "Pellet stove", planId: scheme.planId, householdDid, installedOn: "2025-01-15" };
      await scheme.post("/devices", device);
    }
    return frames;
  }

  async function commit(campaignId: string, name: string, startDate: string): Promise<void> {
    const { reference, intervention } = await register(name);
    await scheme.post("/campaigns", {
      campaignId,
      planId: scheme.planId,
      testPeriod: { startDate, endDate: startDate.replace(/01$/, "28") },
      sampleSize: 2,
      season: "dry",
      groups: { reference: { frame: reference }, intervention: { frame: intervention } },
      emissions: { method: "smec-4", fuel: "wood", area: "ZMB", householdSize: 4.5, life: 3, daf: 0.1, he: 0.9 },
    });
  }

  it("are committed with any fuel, the warming potentials and the figures of dry mass", async () => {
    const { reference, intervention } = await register("dung");
    const page = await open("/implementer/new-campaign", phone);
    await page.getByLabel("Campaign", { exact: false }).first().fill("KPT-DUNG");
    await page.getByLabel("Monitoring plan").and(page.locator("input")).click();
    await page.getByRole("option", { name: scheme.planId }).click();
    await page.getByRole("textbox", { name: "First day" }).fill("2025-02-01");
    await page.getByRole("textbox", { name: "Last day" }).fill("2025-02-28");
    await page.getByLabel("Reference group").fill(reference.join("\n"));
    await page.getByLabel("Intervention group").fill(intervention.join("\n"));
    await page.getByLabel("Households to draw from each group").fill("2");
    await page.getByLabel("Method of the certificate").selectOption("smec-4");
    await page.getByLabel("Fuel of both groups").selectOption("Dung");
    await page.getByLabel("Mass of solid biomass").selectOption("Dry mass");
    const unit = page.getByRole("combobox", { name: "Unit of a household’s value" });
    await unit.selectOption("Standard adult");
    await page.getByText("Without an entry: of households.", { exact: false }).waitFor();
    await page.getByLabel("Area").selectOption("ZMB");
    await page.getByRole("button", { name: "Rarely used terms" }).click();
    const rare = page.getByRole("group", { name: "Rarely used terms" });
    await rare.getByLabel("Warming potentials of CH₄ and N₂O").selectOption("AR6");
    await rare.getByLabel("Dung, dry (TJ/t)").fill("0,0117");
    await rare.getByLabel("Version of the method").fill("3.9");
    await page.getByRole("button", { name: "Commit the campaign" }).click();
    await page.getByRole("alert").getByText("The version of smec-4 here is").first().waitFor();
    await rare.scrollIntoViewIfNeeded();
    await screenshot(page, "terms-rare-phone");
    await assertAccessible(page);
    await page.reload();
    await page.getByLabel("Version of the method").fill("");
    await page.getByRole("button", { name: "Commit the campaign" }).click();
    await page.getByText("No second party has joined.").waitFor();
    const { emissions } = await scheme.get("/campaigns/KPT-DUNG");
    assert.partialDeepStrictEqual(emissions, {
      method: "smec-4",
      fuel: "dung",
      fuelMass: "dry",
      valuePer: "standard-adult",
      gwp: "AR6",
      dryNcv: { dung: 0.0117 },
    });
  });

  it("are amended before the draw, with a public reason", async () => {
    await commit("KPT-AMEND", "amend", "2025-03-01");
    const before = await scheme.get("/campaigns/KPT-AMEND");
    const page = await open("/implementer/campaigns/KPT-AMEND");
    await page.getByRole("button", { name: "Amend the terms" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Commit the new version" }).click();
    await dialog.getByText("Enter a reason.").waitFor();
    await dialog.getByText("Nothing is changed yet.").waitFor();
    await dialog.getByLabel("Reason").fill("The households burn charcoal.");
    await dialog.getByLabel("Season").fill("");
    await dialog.getByLabel("Fuel of both groups").selectOption("Charcoal");
    await dialog.getByRole("button", { name: "Commit the new version" }).click();
    await dialog.getByText("A committed term can be changed, but not removed.").waitFor();
    await dialog.getByLabel("Season").fill("wet");
    await dialog.getByLabel("Downward adjustment").fill("0,15");
    await dialog.getByLabel("Unit of a household’s value").selectOption("Person");
    await screenshot(page, "terms-amend");
    await assertAccessible(page);
    await dialog.getByRole("button", { name: "Commit the new version" }).click();
    await dialog.waitFor({ state: "hidden" });
    await page.getByText("The households burn charcoal.").waitFor();
    await screenshot(page, "terms-amended");
    await assertAccessible(page);
    const amended = await scheme.get("/campaigns/KPT-AMEND");
    assert.equal(amended.termsVersion, 2);
    assert.equal(amended.season, "wet");
    const changes = { fuel: "charcoal", daf: 0.15, valuePer: "person" };
    assert.deepEqual(amended.emissions, { ...(before.emissions as object), ...changes });
    assert.deepEqual(amended.confidence, before.confidence);
  });

  it("end with the campaign when it is abandoned, which names the account that knew the draw", async () => {
    await commit("KPT-GONE", "gone", "2025-04-01");
    const page = await open("/implementer/campaigns/KPT-GONE", phone);
    await page.getByRole("button", { name: "Abandon the campaign" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("The campaign ends without a result, permanently.").waitFor();
    assert.equal(await dialog.getByText("The draw is known, or can be known.").count(), 0);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await scheme.post("/campaigns/KPT-GONE/draw", {});
    await page.reload();
    await page.getByText("Drawn at random").waitFor();
    assert.equal(await page.getByRole("button", { name: "Amend the terms" }).count(), 0);
    await page.getByRole("button", { name: "Abandon the campaign" }).click();
    await dialog.getByText("The draw is known, or can be known.").waitFor();
    await dialog.getByLabel("Reason").fill("x".repeat(257));
    const submit = dialog.getByRole("button", { name: "Abandon permanently" });
    assert.equal(await submit.isDisabled(), true);
    await dialog.getByLabel("Type KPT-GONE to confirm").fill("KPT-GONE");
    await submit.click();
    await dialog.getByText("The reason is longer than 256 bytes.").waitFor();
    await dialog.getByLabel("Reason").fill("The wrong plan was chosen.");
    await screenshot(page, "terms-abandon-phone");
    await assertAccessible(page);
    await submit.click();
    await page.getByText("This campaign was abandoned").waitFor();
    await page.getByText("The wrong plan was chosen.").waitFor();
    await page.getByText("The draw was or could be known.").waitFor();
    assert.equal(await page.getByRole("group", { name: "Steps to vouchers" }).count(), 0);
    await screenshot(page, "terms-abandoned-phone");
    await assertAccessible(page);
    const { status, abandonment } = await scheme.get("/campaigns/KPT-GONE");
    assert.equal(status, "abandoned");
    assert.match(String((abandonment as { discardedBy: string }).discardedBy), /^0x[0-9a-fA-F]{40}$/);
  });
});
