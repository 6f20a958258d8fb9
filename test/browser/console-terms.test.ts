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
      gwp: "AR6",
      dryNcv: { dung: 0.0117 },
    });
  });
});
