import assert from "node:assert/strict";
import type { Server } from "node:http";
import { after, before, describe, it } from "node:test";
import { createAdaptorServer } from "@hono/node-server";
import type { Page } from "playwright-core";
import type { CreatedCollector } from "../../connect/odk/collectors/schemas.ts";
import { withoutBrowser } from "../support/browser.ts";
import { drawnCampaign, exampleCampaign, planId, registerFrames, registerPlans } from "../support/campaigns.ts";
import { exifPhoto } from "../support/exif-photo.ts";
import { freePorts } from "../support/ports.ts";
import { type Caller, callerOf, requireStatus } from "../support/registry.ts";
import { openTestScheme, type TestScheme, testAdminKey } from "../support/scheme.ts";
import { type BrowserShare, shareBrowser } from "../support/shared-browser.ts";
import { type PageServer, servePage } from "./page-server.ts";

describe("a form that ODK Web Forms shows in a browser", { skip: withoutBrowser() }, () => {
  let scheme: TestScheme;
  let server: Server;
  let pages: PageServer;
  let browser: BrowserShare;
  let admin: Caller;
  let link: string;
  let campaignId: string;
  let sample: string[];
  let page: Page;

  before(async () => {
    const [port] = (await freePorts(1)) as [number];
    scheme = await openTestScheme({ PORT: String(port), REQUESTS_PER_MINUTE: "100000" });
    server = createAdaptorServer({ fetch: scheme.app.fetch }) as Server;
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    admin = callerOf(() => scheme.app, testAdminKey);
    await registerPlans({ admin });
    const emissions = { method: "smec-4", fuel: "wood", area: "ZMB", householdSize: 4.5, life: 3, daf: 0.1, he: 0.9 };
    const body = await registerFrames(admin, exampleCampaign({ emissions }));
    for (const [i, householdDid] of body.groups.intervention.frame.entries()) {
      const device = { serial: `FRAME-${i}`, model: "Jiko 2", planId, householdDid, installedOn: "2024-01-01" };
      requireStatus(await admin("POST", "/devices", device), 201);
    }
    const campaign = await drawnCampaign(admin, body);
    campaignId = campaign.campaignId;
    sample = campaign.groups.intervention.sample;
    const { implementerDid, supplierDid } = scheme;
    const about = { implementerDid, campaignId, planId, supplierDid };
    const forms = ["household", "device", "kpt", "usage", "delivery"];
    const made = await admin("POST", "/odk/collectors", {
      name: "Maria",
      collectorDid: "did:key:z6MkMaria",
      forms,
      ...about,
    });
    link = (requireStatus(made, 201).body as CreatedCollector).url;
    pages = await servePage("./web-forms/main.ts");
    browser = await shareBrowser();
    page = await (await browser.newContext({ viewport: { width: 390, height: 844 }, locale: "en" })).newPage();
  });
  after(async () => {
    await browser?.close();
    await pages?.close();
    server?.closeAllConnections();
    server?.close();
    await scheme?.close();
  });

  async function open(formId: string): Promise<void> {
    await page.goto("about:blank");
    await page.goto(`${pages.url}/?form=${encodeURIComponent(formId)}#${encodeURIComponent(link)}`);
    await page.getByRole("button", { name: "Send" }).waitFor();
  }
  const write = (label: string, text: string) => page.getByRole("textbox", { name: label }).fill(text);
  const choose = (name: string | RegExp) => page.getByRole("radio", { name, exact: typeof name === "string" }).check();
  /** A field of a number takes keys only. */
  const count = async (place: number, text: string) => {
    const field = page.getByRole("spinbutton").nth(place);
    await field.press("ControlOrMeta+a");
    await field.pressSequentially(text);
    await field.press("Tab");
  };
  /** The first combobox is that of the language. */
  const date = async (text: string) => {
    await page.getByRole("combobox").nth(1).fill(text);
    await page.keyboard.press("Tab");
  };
  const photo = (mark: string) =>
    page
      .locator("input[type=file]")
      .first()
      .setInputFiles({ name: `${mark}.jpg`, mimeType: "image/jpeg", buffer: exifPhoto({ mark }) });
  async function send(): Promise<string> {
    await page.getByRole("button", { name: "Send" }).click();
    const answer = page.getByRole("status").last();
    await answer.waitFor();
    return (await answer.textContent()) ?? "";
  }

  it("registers a household, and installs a device in it", async () => {
    const did = "did:ixo:household/web-forms";
    await open("household-registration");
    await write("Household's DID", "no DID");
    await write("Region", "Lusaka");
    await count(0, "2");
    await count(1, "1");
    await photo("kitchen");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("A DID is expected, such as did:example:household/7.").waitFor();
    await write("Household's DID", did);
    assert.match(await send(), /^201 .*Received and accepted/s);
    const household = requireStatus(await admin("GET", `/households/${encodeURIComponent(did)}`), 200).body;
    assert.partialDeepStrictEqual(household, { householdSize: { children: 2, women: 1 } });

    await open(`device-installation.${planId}`);
    await choose(/^did:ixo:household\/web-forms /);
    await write("Serial number of the device", "STOVE-WEB");
    await write("Model", "Jiko 2");
    await date("01/02/2024");
    await photo("installed");
    assert.match(await send(), /^201 .*accepted: STOVE-WEB/s);
    const device = requireStatus(await admin("GET", "/devices/STOVE-WEB"), 200).body as { evidence: unknown[] };
    assert.partialDeepStrictEqual(device, { householdDid: did, installedOn: "2024-01-02" });
    assert.equal(device.evidence.length, 1);
  });

  it("weighs the fuel of a KPT visit, which waits for the other days", async () => {
    await open(`kpt-visit.${campaignId}`);
    await choose(sample[0] ?? "");
    await choose("Day 0, 2024-02-01");
    await write("When did you weigh?", "2024-02-01T17:30:00+02:00");
    await choose("wood");
    for (const [i, kilograms] of ["10", "1.5", "12"].entries()) await count(i, kilograms);
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("More is left than there was at the last visit and was added.").waitFor();
    await count(2, "8.725");
    assert.match(await send(), /^201 .*filed when all days/s);
  });

  it("surveys a drawn device with its photo", async () => {
    await open(`usage-survey.${campaignId}`);
    await choose(/^FRAME-4,/);
    await choose("Yes");
    await page.getByRole("radio", { name: "Yes" }).nth(1).check();
    await date("02/03/2024");
    await photo("stove");
    assert.match(await send(), /^201 .*Received and accepted/s);
    const path = `/campaigns/${campaignId}/usage-survey/positions?limit=500`;
    const { items } = requireStatus(await admin("GET", path), 200).body as {
      items: { serial: string; record: unknown }[];
    };
    const record = items.find(({ serial }) => serial === "FRAME-4")?.record;
    assert.partialDeepStrictEqual(record, { inUse: true, date: "2024-02-03", surveyorDid: "did:key:z6MkMaria" });

    await open(`usage-survey.${campaignId}`);
    await choose(/^FRAME-5,/);
    await choose("No visit was possible");
    await choose("The household has moved");
    assert.match(await send(), /^201 .*Received and accepted/s);
    const { items: now } = requireStatus(await admin("GET", path), 200).body as { items: typeof items };
    const missing = now.find(({ serial }) => serial === "FRAME-5");
    assert.partialDeepStrictEqual(missing, { status: "missing", record: { reason: "moved", evidence: [] } });
  });

  it("files a supplier's delivery claim", async () => {
    const { supplierDid, productId, householdDid: recipient } = scheme;
    const redemptionId = await scheme.redeem();
    const subject = { redemptionId, productId, supplierDid, recipient, deliveredAt: new Date().toISOString() };
    const credential = await scheme.issuer.signCredential({ type: "ProductDeliveryCredential", subject });
    await open("delivery");
    await write("Redemption", redemptionId);
    await write("Delivery credential", credential);
    const claimId = redemptionId.replace("REDM", "CLM");
    assert.match(await send(), new RegExp(`^201 .*accepted: ${claimId}`, "s"));
    const claim = requireStatus(await admin("GET", `/claims/${claimId}`), 200).body;
    assert.partialDeepStrictEqual(claim, { status: "approved" });
  });
});
