import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, it } from "node:test";
import ExcelJS from "exceljs";
import type { Page } from "playwright-core";
import { withoutBrowser } from "../support/browser.ts";
import { usePhone } from "../support/odk-phone.ts";
import { assertAccessible, type ConsoleTest, goTo, phone, screenshot, signIn } from "./console.ts";
import { type ConsoleScheme, createConsoleScheme } from "./console-scheme.ts";
import { openSharedConsole } from "./shared-console.ts";
import { sees } from "./waiting.ts";

describe("devices, scales and visits of a field team", { skip: withoutBrowser() }, () => {
  let test: ConsoleTest;
  let scheme: ConsoleScheme;
  let key: string;
  before(async () => {
    test = await openSharedConsole({ system: "paid" });
    scheme = await createConsoleScheme(test.stack, "devices");
    const { implementerDid } = scheme;
    key = String((await scheme.post("/keys", { role: "implementer", name: "devices", implementerDid })).key);
  });
  after(() => test?.close());

  async function open(path: string, size?: typeof phone, expected?: RegExp): Promise<Page> {
    const page = await test.open(path, { ...(size && { size }), ...(expected && { expected }) });
    await signIn(page, key);
    return page;
  }

  it("are imported from files, with the errors of each row, and found by household", async () => {
    for (const i of [1, 2]) await scheme.post("/households", { did: `did:x:kitchen/${i}`, region: "Lusaka" });
    const page = await open("/implementer/devices", phone);
    const file = (name: string, mimeType: string, buffer: Buffer) =>
      page.locator('input[type="file"]').setInputFiles({ name, mimeType, buffer });
    const csv = [
      "serial,model,householdDid,installedOn",
      "DEV-1,Pellet stove,did:x:kitchen/1,2025-01-15",
      "dev 1,Pellet stove,did:x:kitchen/2,2025-01-15",
      "DEV-2,Pellet stove,did:x:kitchen/9,2025-01-15",
    ];
    await page.getByRole("combobox", { name: "Monitoring plan" }).waitFor();
    await file("devices.csv", "text/csv", Buffer.from(csv.join("\n")));
    await screenshot(page, "devices-import-phone");
    await assertAccessible(page);
    await page.getByRole("button", { name: "Import", exact: true }).click();
    await page.getByText("3 of 3, 2 refused").waitFor();
    const refused = page.getByRole("table", { name: "Refused rows" });
    await refused.getByText("Row 1 has it already.").waitFor();
    await refused.getByText("dev 1", { exact: true }).waitFor();
    await refused.getByText("DEV-2", { exact: true }).waitFor();
    await screenshot(page, "devices-imported-phone");
    await assertAccessible(page);
    await page.getByRole("button", { name: "Import another file" }).click();
    const book = new ExcelJS.Workbook();
    book.addWorksheet("Stoves").addRows([
      ["serial", "model", "householdDid", "installedOn"],
      ["DEV-3", "Pellet stove", "did:x:kitchen/2", "2025-01-16"],
    ]);
    await file("Stoves.XLSX", "application/octet-stream", Buffer.from(await book.xlsx.writeBuffer()));
    await page.getByRole("button", { name: "Import", exact: true }).click();
    await page.getByText("1 of 1, 0 refused").waitFor();
    const devices = page.getByRole("table", { name: "Registered devices" });
    await devices.getByRole("cell", { name: "DEV-1", exact: true }).waitFor();
    await devices.getByRole("cell", { name: "DEV-3", exact: true }).waitFor();
    await page.getByRole("textbox", { name: "DID of the household" }).fill("did:x:kitchen/2");
    await devices.getByRole("cell", { name: "DEV-1", exact: true }).waitFor({ state: "detached" });
    await devices.getByRole("cell", { name: "DEV-3", exact: true }).waitFor();
    await page.getByRole("button", { name: "Retire DEV-3" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Retire" }).click();
    await page.getByRole("button", { name: "Retire DEV-3" }).waitFor({ state: "detached" });
    assert.notEqual((await scheme.get("/devices/DEV-3")).retiredOn, null);
  });

  it("have scales, whose calibrations are recorded with their certificates", async () => {
    const page = await open("/implementer/scales");
    await page.getByText("No calibration is recorded for this plan yet.").waitFor();
    await page.getByRole("button", { name: "Record a calibration" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Serial").fill("SCALE-7");
    await dialog.getByLabel("Calibrated on").fill("2024-01-10");
    await dialog.getByLabel("Valid until").fill("2023-01-09");
    await dialog.getByLabel("Certificate (link)").fill("scale-7.pdf");
    await dialog.getByLabel("SHA-256 of the certificate").fill("a".repeat(64));
    await dialog.getByRole("button", { name: "Register" }).click();
    await dialog.getByText("The last day is before the calibration.").waitFor();
    await dialog.getByText("Enter a link, such as https://example.org/scale-7.pdf.").waitFor();
    await dialog.getByLabel("Valid until").fill("2025-01-09");
    await dialog.getByLabel("Certificate (link)").fill("https://example.org/scale-7.pdf");
    await screenshot(page, "scales-record");
    await assertAccessible(page);
    await dialog.getByRole("button", { name: "Register" }).click();
    await page.getByRole("cell", { name: "SCALE-7", exact: true }).waitFor();
    await page.getByText("no longer valid").waitFor();
    await screenshot(page, "scales");
    await assertAccessible(page);
    const { items } = (await scheme.get(`/scales?planId=${scheme.planId}`)) as { items: object[] };
    assert.partialDeepStrictEqual(items, [
      { serial: "SCALE-7", calibratedOn: "2024-01-10", validUntil: "2025-01-09", sha256: "a".repeat(64) },
    ]);
  });

  it("are visited for the usage survey, or marked as missing, each once", async () => {
    const campaignId = "KPT-SURVEY";
    const serials = await drawSurvey(scheme, campaignId);
    const page = await open(`/implementer/campaigns/${campaignId}`, phone);
    await page.getByRole("button", { name: "Record visits of the drawn devices" }).click();
    const [first = "", second = ""] = serials;
    await page.getByRole("button", { name: `Visit ${first}`, exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Day of the visit").fill("2025-05-03");
    await dialog.getByLabel("The device was seen").uncheck();
    assert.equal(await dialog.getByLabel("The household uses it").isChecked(), false);
    await dialog.getByLabel("The device was seen").check();
    await dialog.getByLabel("The household uses it").check();
    await dialog.getByRole("button", { name: "Record the visit" }).click();
    await dialog.getByText("Enter a DID, such as did:key:z6Mk…").waitFor();
    await dialog.getByText("Enter a link, such as https://example.org/photo.jpg.").waitFor();
    await dialog.getByLabel("Surveyor").fill("did:key:z6MkSurveyor");
    await dialog.getByLabel("Evidence (link)").fill("https://photos.example/1.jpg");
    const photo = Buffer.from("a photo of a stove");
    await dialog.locator("input[type=file]").setInputFiles({ name: "1.jpg", mimeType: "image/jpeg", buffer: photo });
    await screenshot(page, "usage-visit-phone");
    await assertAccessible(page);
    await dialog.getByRole("button", { name: "Record the visit" }).click();
    await dialog.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: `Visit ${first}`, exact: true }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: `Missing ${second}`, exact: true }).click();
    await dialog.getByText("The device counts as not in use.").waitFor();
    await dialog.getByLabel("Reason").and(page.locator("input")).click();
    await page.getByRole("option", { name: "other" }).click();
    await dialog.getByRole("button", { name: "Mark as missing" }).click();
    await dialog.getByText("Enter a link, such as https://example.org/photo.jpg.").waitFor();
    await dialog.getByLabel("Evidence (link)").fill("https://photos.example/2.jpg");
    await screenshot(page, "usage-missing-phone");
    await assertAccessible(page);
    await dialog.getByRole("button", { name: "Mark as missing" }).click();
    await dialog.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: `Missing ${second}`, exact: true }).waitFor({ state: "detached" });
    await screenshot(page, "usage-recorded-phone");
    await assertAccessible(page);
    const sha256 = createHash("sha256").update(photo).digest("hex");
    const { items } = (await scheme.get(`/campaigns/${campaignId}/usage-survey/positions`)) as { items: Position[] };
    const recorded = new Map(items.map((each) => [each.serial, each]));
    assert.partialDeepStrictEqual(recorded.get(first), {
      status: "surveyed",
      record: {
        inUse: true,
        date: "2025-05-03",
        evidence: [{ uri: "https://photos.example/1.jpg", sha256 }],
      },
    });
    assert.partialDeepStrictEqual(recorded.get(second), { status: "missing", record: { reason: "other" } });
    await sees(() => page.getByRole("button", { name: /^Visit STOVE/ }).count(), items.length - 2);
  });

  it("have records from phones, which the first page counts when they were refused", async () => {
    const page = await open("/", phone);
    await page.getByText("All records from phones are stored, and this device has no unsent measurements.").waitFor();
    await sendRefusedRecord(test, scheme);
    await page.reload();
    const refused = page.getByRole("link", { name: "record of a phone was refused" });
    await refused.waitFor();
    await screenshot(page, "home-refused-phone");
    await refused.click();
    await page.getByRole("row").filter({ hasText: "Maria in the field" }).first().waitFor();
    assert.equal(new URL(page.url()).searchParams.get("status"), "refused");
  });

  it("measure with what each visit found, and say on the first page what is not sent", async () => {
    const page = await open("/", phone, /net::ERR_FAILED/);
    const geolocation = { latitude: -15.4166666, longitude: 28.2833333, accuracy: 12.3 };
    await page.context().grantPermissions(["geolocation"]);
    await page.context().setGeolocation(geolocation);
    await goTo(page, "/implementer/measure/KPT-SURVEY");
    await page.getByLabel("Household of the sample").and(page.locator("input")).click();
    await page.getByRole("option").first().click();
    await page.getByRole("textbox", { name: "First day" }).fill("2025-05-03");
    await page.getByRole("textbox", { name: "Last day" }).fill("2025-05-05");
    await page.getByLabel("There were no such events or factors").check();
    await page.getByRole("button", { name: "Weigh several fuels" }).click();
    await page.getByLabel("Who weighed").fill("did:key:z6MkCollector");
    const wood = page.getByRole("group", { name: "Wood (kg)" });
    for (const day of [1, 2, 3]) {
      await page.getByLabel(`Visit ${day}: time`).fill("17:30");
      await wood.getByLabel(`Day ${day}: start`).fill("10");
      await wood.getByLabel(`Day ${day}: left`).fill("7");
    }
    await wood.getByLabel("Container (kg)").fill("0,35");
    await page.getByRole("button", { name: "More about visit 2" }).click();
    const found = page.getByRole("group", { name: "Visit 2: what was found" });
    await found.getByLabel("Children 0–14").fill("many");
    await found.getByText("A whole number up to 1000").waitFor();
    await found.getByLabel("Children 0–14").fill("3");
    await found.getByLabel("Women over 14").fill("1");
    await found.getByRole("button", { name: "Add a stove" }).click();
    await found.getByLabel("Kind of stove").fill("Three stones");
    await found.getByLabel("Was used").uncheck();
    await found.getByRole("button", { name: "Add my position" }).click();
    await found.getByText("-15.416667, 28.283333 (within 12.3 m)").waitFor();
    await found.getByLabel("Notes").fill("Rain all day");
    await found.scrollIntoViewIfNeeded();
    await screenshot(page, "kpt-details-phone");
    await assertAccessible(page);
    let sent: unknown;
    await page.route("**/v1/claims", async (route) => {
      sent = route.request().postDataJSON();
      await route.abort();
    });
    await page.getByRole("button", { name: "File the measurement" }).click();
    await page.getByText("1 measurement waits to be filed").waitFor();
    await goTo(page, "/");
    const unsent = page.getByRole("link", { name: "measurement of KPT-SURVEY is on this device only" });
    await unsent.waitFor();
    await screenshot(page, "home-unsent-phone");
    await assertAccessible(page);
    await page.unroute("**/v1/claims");
    await unsent.waitFor({ state: "detached" });
    const { items } = (await scheme.get("/campaigns/KPT-SURVEY/claims")) as { items: { id: string }[] };
    const claim = await scheme.get(`/claims/${items[0]?.id}`);
    assert.partialDeepStrictEqual(claim.fuels, [{ fuel: "wood", total: 9 }]);
    const { visits } = sent as { visits: object[] };
    assert.partialDeepStrictEqual(visits[1], {
      gps: { latitude: -15.416667, longitude: 28.283333, accuracy: 12.3 },
      peopleFed: { children: 3, women: 1 },
      stoves: [{ kind: "Three stones", used: false }],
      notes: "Rain all day",
      fuels: [{ fuel: "wood", start: 10, end: 7, tare: 0.35 }],
    });
    assert.equal("notes" in (visits[0] as object), false);
  });
});

/** A phone of this implementer sends a household that is registered already. */
async function sendRefusedRecord({ stack }: ConsoleTest, { implementerDid, post }: ConsoleScheme): Promise<void> {
  const person = { name: "Maria in the field", collectorDid: "did:key:z6MkMaria" };
  const { url } = await post("/odk/collectors", { ...person, implementerDid, forms: ["household"] });
  const collect = usePhone({ request: fetch }, `${stack.url}${new URL(String(url)).pathname}`);
  const { version } = await collect.form("household-registration");
  const answers = "<did>did:x:kitchen/1</did><region>Lusaka</region><photo>kitchen.png</photo>";
  const onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const id = "<meta><instanceID>uuid:devices</instanceID></meta>";
  const { status } = await collect.send(
    `<data id="household-registration" version="${version}">${answers}${id}</data>`,
    [{ name: "kitchen.png", type: "image/png", bytes: Buffer.from(onePixel, "base64") }],
  );
  assert.equal(status, 201);
}

type Position = { serial: string; status: string; record: object | null };

/** Draw a campaign whose plan has devices. @returns the serials of the drawn ones */
async function drawSurvey({ planId, post, get, joinDraw }: ConsoleScheme, campaignId: string): Promise<string[]> {
  const frame = (name: string) => [1, 2, 3].map((i) => `did:x:survey/${name}-${i}`);
  const groups = { reference: { frame: frame("old") }, intervention: { frame: frame("new") } };
  for (const did of [...groups.reference.frame, ...groups.intervention.frame]) {
    await post("/households", { did, region: "Lusaka" });
  }
  for (const [i, householdDid] of groups.intervention.frame.entries()) {
    const device = { serial: `STOVE-SURVEY-${i}`, model: "Pellet stove", planId, householdDid };
    await post("/devices", { ...device, installedOn: "2025-01-15" });
  }
  await post("/campaigns", {
    campaignId,
    planId,
    testPeriod: { startDate: "2025-05-01", endDate: "2025-05-28" },
    sampleSize: 2,
    season: "dry",
    groups,
    emissions: { method: "smec-4", fuel: "wood", area: "ZMB", householdSize: 4.5, life: 3, daf: 0.1, he: 0.9 },
  });
  const reveal = await joinDraw(campaignId);
  await post(`/campaigns/${campaignId}/draw`, {});
  await reveal();
  const { items } = (await get(`/campaigns/${campaignId}/usage-survey/positions`)) as { items: Position[] };
  return items.map(({ serial }) => serial);
}
