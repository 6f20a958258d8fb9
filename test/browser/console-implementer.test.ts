import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import ExcelJS from "exceljs";
import type { Page } from "playwright-core";
import { createTestClient, http, parseEther } from "viem";
import { withoutBrowser } from "../support/browser.ts";
import { codesOnPages } from "../support/code-papers.ts";
import { assertAccessible, type ConsoleTest, phone, screenshot, signIn } from "./console.ts";
import { type ConsoleScheme, createConsoleScheme } from "./console-scheme.ts";
import { openSharedConsole } from "./shared-console.ts";
import { sees } from "./waiting.ts";
import { BrowserWallet } from "./wallet.ts";

const frames = {
  reference: Array.from({ length: 33 }, (_, i) => `did:x:control/${i + 1}`),
  intervention: Array.from({ length: 33 }, (_, i) => `did:x:stove/${i + 1}`),
};

describe("the field team's pages", { skip: withoutBrowser() }, () => {
  let test: ConsoleTest;
  let scheme: ConsoleScheme;
  let key: string;
  before(async () => {
    test = await openSharedConsole({ system: "paid" });
    scheme = await createConsoleScheme(test.stack, "implementer");
    const made = await scheme.post("/keys", {
      role: "implementer",
      name: "field",
      implementerDid: scheme.implementerDid,
    });
    key = String(made.key);
  });
  after(() => test?.close());

  async function open(path: string, size?: typeof phone, expected?: RegExp): Promise<Page> {
    const page = await test.open(path, { ...(size && { size }), ...(expected && { expected }) });
    await signIn(page, key);
    return page;
  }

  it("import households from a file, with the errors of each row, also after a reload", async () => {
    const page = await open("/implementer/households", phone);
    const rows = Array.from({ length: 300 }, (_, i) => `did:x:family/${i},Lusaka,${i % 4}`);
    rows.splice(10, 0, "did:x:family/3,Kafue,1", "did:x:family/900,Lusaka,many");
    const csv = `did,region,children\n${rows.join("\n")}\n`;
    await page
      .locator('input[type="file"]')
      .setInputFiles({ name: "families.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
    await screenshot(page, "implementer-import-phone");
    await assertAccessible(page);
    await page.getByRole("button", { name: "Import", exact: true }).click();
    await page.getByText("Partly done").waitFor();
    await page.getByText("302 of 302, 2 refused").waitFor();
    await page.reload();
    const refused = page.getByRole("table", { name: "Refused rows" });
    await refused.getByRole("cell", { name: "12", exact: true }).waitFor();
    await refused.getByText("did:x:family/900").waitFor();
    await screenshot(page, "implementer-imported-phone");
    await assertAccessible(page);
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download refused rows as CSV" }).click();
    const saved = await readFile(await (await saving).path(), "utf8");
    const [header, ...lines] = saved.trimEnd().split("\r\n");
    assert.equal(header, "row,did,field,rule,reason");
    assert.deepEqual(
      lines.map((line) => line.split(",").slice(0, 4)),
      [
        ["11", "did:x:family/3", "did", "household-once"],
        ["12", "did:x:family/900", "householdSize.children", "type"],
      ],
    );
    await page.getByText("did:x:family/0", { exact: true }).waitFor();
    const families = async () => {
      const { items } = (await scheme.get("/households?limit=500")) as { items: { did: string }[] };
      return items.filter(({ did }) => did.startsWith("did:x:family/")).length;
    };
    await sees(families, 300);
  });

  it("import a workbook and a semicolon file as spreadsheets save them", async () => {
    const page = await open("/implementer/households");
    const book = new ExcelJS.Workbook();
    book.addWorksheet("Families").addRows([
      ["did", "region", "men"],
      ["did:x:sheet/1", "Lusaka", 2],
      ["did:x:sheet/2", "Kafue", 1.5],
    ]);
    const xlsx = {
      name: "Families.XLSX",
      mimeType: "application/octet-stream",
      buffer: Buffer.from(await book.xlsx.writeBuffer()),
    };
    await page.locator('input[type="file"]').setInputFiles(xlsx);
    await page.getByRole("button", { name: "Import", exact: true }).click();
    await page.getByText("2 of 2, 1 refused").waitFor();
    await page.getByRole("button", { name: "Import another file" }).click();
    const buffer = Buffer.from("\uFEFFdid;region\r\ndid:x:sheet/3;Lusaka, West\r\n");
    await page.locator('input[type="file"]').setInputFiles({ name: "familles.csv", mimeType: "text/csv", buffer });
    await page.getByRole("button", { name: "Import", exact: true }).click();
    await page.getByText("1 of 1, 0 refused").waitFor();
    const found = await scheme.get("/households/did%3Ax%3Asheet%2F3");
    assert.equal(found.region, "Lusaka, West");
  });

  it("show the progress of a large file over a slow connection", async () => {
    const page = await open("/implementer/households", phone);
    const line = await page.context().newCDPSession(page);
    await line.send("Network.emulateNetworkConditions", {
      offline: false,
      latency: 100,
      downloadThroughput: 1_000_000,
      uploadThroughput: 200_000,
    });
    const rows = Array.from({ length: 20_000 }, (_, i) => `did:x:slow/${"0".repeat(40)}${i},Lusaka,many`);
    const buffer = Buffer.from(["did,region,children", ...rows].join("\n"));
    await page.locator('input[type="file"]').setInputFiles({ name: "slow.csv", mimeType: "text/csv", buffer });
    await page.getByRole("button", { name: "Import", exact: true }).click();
    await page.getByText(/^[1-9]\d? % of the file has been uploaded\.$/).waitFor();
    await screenshot(page, "implementer-sending-phone");
    await assertAccessible(page);
    await page.getByText("20,000 of 20,000, 20,000 refused").waitFor();
  });

  it("find an import again whose answer was lost, instead of starting another", async () => {
    const page = await open("/implementer/households", phone, /net::ERR_FAILED/);
    const begun: { operationId: string; key: string | undefined }[] = [];
    await page.route("**/v1/households/import", async (route) => {
      const answer = await route.fetch();
      const { operationId } = (await answer.json()) as { operationId: string };
      begun.push({ operationId, key: route.request().headers()["idempotency-key"] });
      await (begun.length === 1 ? route.abort() : route.fulfill({ response: answer }));
    });
    const rows = Array.from({ length: 1_000 }, (_, i) => `did:x:lost/${i}`);
    await page
      .locator('input[type="file"]')
      .setInputFiles({ name: "lost.csv", mimeType: "text/csv", buffer: Buffer.from(["did", ...rows].join("\n")) });
    await page.getByRole("button", { name: "Import", exact: true }).click();
    await page.getByRole("alert").waitFor();
    await page.getByRole("button", { name: "Import", exact: true }).click();
    await page.getByText("1,000 of 1,000, 0 refused").waitFor();
    assert.equal(begun.length, 2);
    assert.deepEqual(begun[1], begun[0]);
  });

  it("refuse an invalid file with its broken rules", async () => {
    const page = await open("/implementer/households");
    const buffer = Buffer.from("name,place\nAda,Lusaka\n");
    await page.locator('input[type="file"]').setInputFiles({ name: "wrong.csv", mimeType: "text/csv", buffer });
    await page.getByRole("button", { name: "Import", exact: true }).click();
    const alert = page.getByRole("alert");
    await alert.getByText("column-present").waitFor();
    await alert.getByText("known-column").first().waitFor();
  });

  it("commit a campaign, draw it, check the draw in the browser, and replace a household", async () => {
    const households = Object.values(frames).flat();
    const own = { authorization: `Bearer ${key}` };
    const register = (did: string) => test.stack.call("POST", "/v1/households", { did, region: "Lusaka" }, own);
    for (const { status, body } of await Promise.all(households.map(register)))
      assert.equal(status, 201, JSON.stringify(body));
    await registerDevices(scheme, frames.intervention);
    const page = await open("/implementer/campaigns");
    await page.getByRole("link", { name: "New campaign" }).click();
    await page.getByLabel("Campaign", { exact: false }).first().fill("KPT-WEB");
    await page.getByLabel("Monitoring plan").and(page.locator("input")).click();
    await page.getByRole("option", { name: scheme.planId }).click();
    await page.getByRole("textbox", { name: "First day" }).fill("2025-02-01");
    await page.getByRole("textbox", { name: "Last day" }).fill("2025-02-28");
    await page.getByLabel("Reference group").fill(frames.reference.join("\n"));
    await page.getByLabel("Intervention group").fill([...frames.intervention, frames.reference[0]].join("\n"));
    await page.getByLabel("Households to draw from each group").fill("32");
    await fillTerms(page);
    await page.getByLabel("Season").fill("dry");
    await page.getByRole("button", { name: "Commit the campaign" }).click();
    await page.getByText("In both groups: did:x:control/1").waitFor();
    await page.reload();
    assert.equal(await page.getByLabel("Reference group").inputValue(), frames.reference.join("\n"));
    await page.getByLabel("Intervention group").fill(frames.intervention.join("\n"));
    await screenshot(page, "implementer-campaign-new");
    await assertAccessible(page);
    await page.getByRole("button", { name: "Commit the campaign" }).click();
    await page.getByText("No second party has joined.").waitFor();
    const reveal = await scheme.joinDraw("KPT-WEB");
    await page.getByRole("button", { name: "Draw the samples" }).click();
    await page.getByText("The samples are drawn when both parties have revealed their secrets.").waitFor();
    await page.getByText("Second party: secret committed").waitFor();
    await screenshot(page, "implementer-campaign-waiting");
    await assertAccessible(page);
    await reveal();
    await page.reload();
    await page.getByText("Drawn at random").waitFor();
    await page.getByText("Neither party alone could have chosen it").waitFor();
    await page.getByRole("button", { name: "Check the draw in this browser" }).click();
    await page.getByText("Order of the Intervention group: matches").waitFor();
    await sees(() => page.getByText("matches").count(), 5);
    await screenshot(page, "implementer-campaign-drawn");
    await assertAccessible(page);
    const { groups } = await scheme.get("/campaigns/KPT-WEB");
    const [dropped] = (groups as { intervention: { sample: string[] } }).intervention.sample;
    await page.getByRole("button", { name: `Replace ${dropped}`, exact: true }).click();
    await page.getByRole("dialog").waitFor();
    await assertAccessible(page);
    await page.getByLabel("Evidence (link)").fill("https://x.example/door.jpg");
    await page.getByRole("button", { name: "Replace by the next household of the draw" }).click();
    await page.getByText(`${dropped} → `).waitFor();
    const [, gone] = (groups as { intervention: { sample: string[] } }).intervention.sample;
    await page.getByRole("button", { name: `Replace ${gone}`, exact: true }).click();
    await page.getByRole("radio", { name: /^Leave it unmeasured/ }).check();
    await page.getByRole("button", { name: "Mark as missing" }).click();
    await page.getByText(`${gone} (absent)`).waitFor();
  });

  it("commit a campaign with a sampling profile and strata", async () => {
    const groupOf = (name: string) => Array.from({ length: 36 }, (_, i) => `did:x:strata/${name}-${i}`);
    const [reference, intervention] = [groupOf("reference"), groupOf("intervention")];
    await Promise.all(
      [...reference, ...intervention].map((did, i) =>
        scheme.post("/households", { did, region: i % 2 === 0 ? "Lusaka" : "Kafue" }),
      ),
    );
    await registerDevices(scheme, intervention);
    const page = await open("/implementer/new-campaign", phone);
    await page.getByLabel("Campaign", { exact: false }).first().fill("KPT-STRATA");
    await page.getByLabel("Monitoring plan").and(page.locator("input")).click();
    await page.getByRole("option", { name: scheme.planId }).click();
    await page.getByRole("textbox", { name: "First day" }).first().fill("2025-03-01");
    await page.getByRole("textbox", { name: "Last day" }).first().fill("2025-03-28");
    await page.getByLabel("Reference group").fill(reference.join("\n"));
    await page.getByLabel("Intervention group").fill(intervention.join("\n"));
    await page.getByLabel("Expected drop-out (%)").fill("ten");
    await page.getByText("Enter a percentage with at most 2 decimals.").waitFor();
    await page.getByText("Choose a sampling profile, or clear the fields below it.").waitFor();
    await page.getByLabel("Expected drop-out (%)").fill("2,5");
    await page.getByLabel("Coefficient of variation").fill("0,3");
    await page.getByLabel("Sampling profile").and(page.locator("input")).click();
    await page.getByRole("option", { name: "90 % confidence, 30 % precision" }).click();
    for (const [number, name, region] of [
      [1, "town", "Lusaka"],
      [2, "village", "Kafue"],
    ] as const) {
      await page.getByRole("button", { name: "Add a stratum" }).click();
      const stratum = page.getByRole("group", { name: `Stratum ${number}` });
      await stratum.getByLabel("Name").fill(name);
      await stratum.getByLabel("Region").fill(region);
      await stratum.getByLabel("To draw").fill("16");
    }
    await screenshot(page, "implementer-sampling-phone");
    await assertAccessible(page);
    await page.getByRole("button", { name: "Commit the campaign" }).click();
    await page.getByText("No second party has joined.").waitFor();
    const { sampling, sampleSize } = await scheme.get("/campaigns/KPT-STRATA");
    assert.equal(sampleSize, 32);
    assert.partialDeepStrictEqual(sampling, {
      profile: "90/30",
      coefficientOfVariation: 0.3,
      dropOut: 0.025,
      strata: [
        { id: "town", region: "Lusaka", sampleSize: 16 },
        { id: "village", region: "Kafue", sampleSize: 16 },
      ],
    });
  });

  it("check a measurement while typing, to the gram, and file it", async () => {
    const page = await test.open("/implementer/measure/KPT-WEB", {
      size: phone,
      expected: /ERR_INTERNET_DISCONNECTED/,
    });
    await signIn(page, key);
    const rules = page.getByRole("status").filter({ hasText: "daily-span" });
    await page.getByText("Intervention group", { exact: true }).click();
    await page.getByText("KPT-WEB has no measurement of the reference group yet").first().waitFor();
    await page.getByText("Reference group", { exact: true }).click();
    await page.getByLabel("Household of the sample").and(page.locator("input")).click();
    await page.getByRole("option").first().click();
    await page.getByRole("textbox", { name: "First day" }).fill("2025-02-03");
    await page.getByRole("textbox", { name: "Last day" }).fill("2025-02-04");
    await page.getByText("The period lasts 2 days").first().waitFor();
    await screenshot(page, "implementer-kpt-rules-phone");
    await assertAccessible(page);
    await page.getByRole("textbox", { name: "Last day" }).fill("2025-02-05");
    await page.getByLabel("Day 1").fill("0,1");
    await page.getByLabel("Day 2").fill("0.2");
    await page.getByLabel("Day 3").fill("3.0001");
    await page.getByText("Kilograms with at most 3 decimals").waitFor();
    await page.getByLabel("Day 3").fill("3");
    await page.getByLabel("Total (kg)").fill("3.301");
    await page.getByText("The total is 3.301 kg; the days add up to 3.3 kg.").first().waitFor();
    assert.ok(await page.getByRole("button", { name: "File the measurement" }).isDisabled());
    await page.getByRole("button", { name: "Use the sum: 3.3 kg" }).click();
    await page.getByText("Enter events or factors, or tick that there were none.").waitFor();
    await page.reload();
    await sees(() => page.getByLabel("Day 1").inputValue(), "0,1");
    await page.getByLabel("There were no such events or factors").check();
    await page.getByText("All rules are met").waitFor();
    await sees(() => rules.count(), 0);
    await screenshot(page, "implementer-kpt-fine-phone");
    await assertAccessible(page);
    await page.getByRole("button", { name: "File the measurement" }).click();
    await page.getByText("Filed for did:x:control/").waitFor();
    const next = page.getByRole("button", { name: /^Next visit: did:x:control/ });
    const wanted = (await next.textContent())?.replace("Next visit: ", "") ?? "";
    await screenshot(page, "implementer-next-visit-phone");
    await assertAccessible(page);
    await next.click();
    const household = page.getByLabel("Household of the sample").and(page.locator("input"));
    await sees(() => household.inputValue(), wanted);
    await household.click();
    await page.getByRole("option", { name: /Measured$/ }).waitFor();
    await page.keyboard.press("Escape");
    const claims = async () => {
      const { groups } = await scheme.get("/campaigns/KPT-WEB");
      return (groups as { reference: { claims: number } }).reference.claims;
    };
    await sees(claims, 1);

    // A household without a network: the page opens, the measurement waits, and is filed once when the network returns.
    await page.waitForFunction(async () => (await (await caches.open("hearth-console-1")).keys()).length > 10);
    await page.context().setOffline(true);
    await page.reload();
    await page.getByLabel("Household of the sample").and(page.locator("input")).click();
    await page.getByRole("option").nth(1).click();
    for (const day of ["Day 1", "Day 2", "Day 3"]) await page.getByLabel(day).fill("1.1");
    await page.getByRole("button", { name: "Use the sum: 3.3 kg" }).click();
    await page.getByRole("button", { name: "File the measurement" }).click();
    await page.getByText("1 measurement waits to be filed").waitFor();
    await page.getByRole("button", { name: /^Next visit/ }).waitFor();
    await sees(() => page.getByLabel("Day 1").inputValue(), "");
    await screenshot(page, "implementer-kpt-waiting-phone");
    await page.context().setOffline(false);
    await page.getByText("1 measurement waits to be filed").waitFor({ state: "detached" });
    await sees(claims, 2);

    await page.getByLabel("Household of the sample").and(page.locator("input")).click();
    await page.getByRole("option").nth(2).click();
    await page.getByRole("button", { name: "Weigh several fuels" }).click();
    await page.getByLabel("Who weighed").fill("did:key:z6MkCollector");
    await page.getByLabel("Add another fuel").and(page.locator("input")).click();
    await page.getByRole("option", { name: "LPG" }).click();
    const weigh = async (fuel: string, start: string, left: string) => {
      const of = page.getByRole("group", { name: fuel });
      for (const day of [1, 2, 3]) {
        await of.getByLabel(`Day ${day}: start`).fill(start);
        await of.getByLabel(`Day ${day}: left`).fill(left);
      }
    };
    for (const day of [1, 2, 3]) await page.getByLabel(`Visit ${day}: time`).fill("17:30");
    await weigh("LPG (kg)", "5", "5");
    await weigh("Wood (kg)", "10", "11.1");
    await page.getByText("There is more wood left than at the start plus what was added.").first().waitFor();
    await screenshot(page, "implementer-kpt-fuels-phone");
    await assertAccessible(page);
    await weigh("Wood (kg)", "10", "8,9");
    await page.getByText("All rules are met").waitFor();
    await page.getByRole("button", { name: "File the measurement" }).click();
    await sees(claims, 3);
  });

  it("show on a map where households are, and which are still to be visited", async () => {
    const page = await open("/implementer/map");
    await page.getByText("No household has a location yet.").waitFor();
    const { items } = (await scheme.get("/campaigns/KPT-WEB/positions?group=reference&limit=500")) as {
      items: { householdId: string; ended: string }[];
    };
    const drawn = items.filter(({ ended }) => ended === "measured" || ended === "open");
    const wanted = drawn.slice(1).find(({ ended }) => ended === "open")?.householdId ?? "";
    for (const [i, { householdId }] of drawn.slice(1).entries()) {
      const isFar = householdId === wanted;
      const location = { latitude: isFar ? -12 : -15.4 - i / 100, longitude: 28.2 + (i % 6) / 100 };
      await test.stack.call("PATCH", `/v1/households/${encodeURIComponent(householdId)}`, { location });
    }
    await page.reload();
    await page.getByText(`${drawn.length - 1} households`, { exact: true }).waitFor();
    const map = page.getByRole("region", { name: "Map of the households" });
    await map
      .getByRole("button", { name: /^\d+ households: zoom in$/ })
      .first()
      .waitFor();
    await assertAccessible(page);
    await screenshot(page, "implementer-map-desktop");
    await page.getByLabel("Campaign").and(page.locator("input")).click();
    await page.getByRole("option", { name: "KPT-WEB" }).click();
    await page.waitForURL(/campaign=KPT-WEB/);
    const measured = drawn.slice(1).filter(({ ended }) => ended === "measured").length;
    await page.getByText(`${measured} measured`, { exact: true }).waitFor();
    // Neither the intervention group nor the first household of the reference group has a location.
    await page.getByText(/^The location of \d+ households of the sample is not known\.$/).waitFor();
    await page.setViewportSize(phone);
    await assertAccessible(page);
    await screenshot(page, "implementer-map-phone");
    await map.getByRole("button", { name: wanted, exact: true }).press("Enter");
    await page.getByRole("link", { name: "Measure it" }).click();
    await sees(() => page.getByLabel("Household of the sample").and(page.locator("input")).inputValue(), wanted);
  });

  it("begin with how far the campaign is, by village and by day", async () => {
    type Progress = { campaignId: string; drawn: number; measured: number; days: object[] };
    const { campaigns } = (await scheme.get("/overview")) as { campaigns: Progress[] };
    const shown = campaigns.find(({ campaignId }) => campaignId === "KPT-WEB");
    assert.ok(shown !== undefined && shown.measured > 0 && shown.days.length > 0);
    const page = await test.open("", { size: phone });
    await signIn(page, key);
    await page.getByText(`${shown.measured} of ${shown.drawn} households measured`).waitFor();
    await page.getByRole("table", { name: "Progress by village" }).getByText("Lusaka").waitFor();
    await page.getByRole("img", { name: /^Households measured on each day/ }).waitFor();
    await screenshot(page, "home-implementer-phone");
    await assertAccessible(page);
    await page.getByRole("link", { name: /of KPT-WEB (is|are) to be visited/ }).click();
    await page.waitForURL("**/implementer/measure/KPT-WEB");
  });

  it("close a campaign with its final figures, have it certified, and continue to its vouchers", async () => {
    await measureTheRest(scheme);
    await surveyDevices(scheme);
    const page = await open("/implementer/campaigns/KPT-WEB");
    await page.getByText("The implementer acts next").waitFor();
    await page.getByText("Every household of both samples is measured.").waitFor();
    await assertAccessible(page);
    await screenshot(page, "implementer-road-measured");
    await page.getByRole("link", { name: "Close the campaign …" }).click();
    const close = page.getByRole("button", { name: "Close the campaign …" });
    await page.getByText("With unmeasured households counted against the project").first().waitFor();
    await assertAccessible(page);
    await screenshot(page, "implementer-close");
    await close.click();
    await page.getByText("32 measurements of the reference group and 31 of the intervention group").waitFor();
    const submit = page.getByRole("button", { name: "Close permanently" });
    assert.ok(await submit.isDisabled());
    await page.getByLabel("Type KPT-WEB to confirm").fill("KPT-WEB");
    await assertAccessible(page);
    await submit.click();
    await page.getByText("A verifier acts next").waitFor();
    await screenshot(page, "implementer-road-closed");
    await signDataRoom(test, scheme);
    await page.reload();
    await page.getByText("The regulator acts next").waitFor();
    assert.equal(await page.getByRole("link", { name: "Create the certificate …" }).count(), 0);

    const made = await scheme.post("/keys", { role: "regulator", name: "regulator" });
    const regulator = await test.open("/regulator/campaigns/KPT-WEB");
    await signIn(regulator, String(made.key));
    await regulator.getByRole("link", { name: "Create the certificate …" }).click();
    await regulator.getByRole("textbox", { name: "Certificate" }).fill("CERT-KPT-WEB");
    await regulator.getByRole("textbox", { name: "Mitigation activity" }).fill("ACT-1");
    await regulator.getByRole("radio", { name: /^smec-4/ }).check();
    await regulator.getByRole("textbox", { name: "Registry" }).fill("web-registry");
    await regulator.getByRole("textbox", { name: "First serial" }).fill("1");
    await regulator.getByRole("textbox", { name: "Last serial" }).fill("9");
    await assertAccessible(regulator);
    await regulator.getByRole("button", { name: "Create the certificate …" }).click();
    const question = regulator.getByRole("dialog");
    await question
      .getByText("33 households of the intervention group. Registry web-registry, serials 1 to 9.")
      .waitFor();
    const figure = (await question.getByText("CERT-KPT-WEB:").textContent()) ?? "";
    await screenshot(regulator, "regulator-certify");
    await question.getByRole("button", { name: "Approve and create" }).click();
    await regulator.getByText("Certificate CERT-KPT-WEB is registered.").waitFor();
    const { verifiedReduction } = await scheme.get("/certificates/CERT-KPT-WEB");
    assert.equal(figure.replaceAll(",", ""), `CERT-KPT-WEB: ${verifiedReduction} CARBON`);

    await page.reload();
    await page.getByRole("link", { name: "Issue all vouchers" }).click();
    await page.getByText("33 households").waitFor();
    await sees(() => page.getByLabel("Certificate").and(page.locator("input")).inputValue(), "CERT-KPT-WEB");
  });

  it("issue a certificate's vouchers with progress", async () => {
    const families = Array.from({ length: 40 }, (_, i) => `did:x:family/${i}`);
    await scheme.certify("CERT-WEB", 4_000, families);
    const page = await open("/implementer/issue", phone);
    await page.getByLabel("Certificate").and(page.locator("input")).click();
    await page.getByRole("option", { name: "CERT-WEB" }).click();
    await page.getByText("40 households").waitFor();
    await page.getByLabel("Batch").fill("BATCH-WEB");
    await page.getByLabel("Valid until").fill("2020-01-01");
    await page.getByRole("button", { name: "Issue all vouchers" }).click();
    await page.getByText("The last day must be after the day of issue.").waitFor();
    await page.getByLabel("Valid until").fill("2099-12-31");
    await page.getByLabel("One-time codes on paper").check();
    await page.getByLabel("Codes for each voucher").fill("6");
    await screenshot(page, "implementer-issue-phone");
    await assertAccessible(page);
    await page.getByRole("button", { name: "Issue all vouchers" }).click();
    const question = page.getByRole("dialog");
    await question.getByText("40 households").waitFor();
    await screenshot(page, "implementer-issue-question-phone");
    await assertAccessible(page);
    await question.getByRole("button", { name: "Cancel" }).click();
    assert.deepEqual((await scheme.get("/vouchers?batchId=BATCH-WEB")).items, []);
    await page.getByRole("button", { name: "Issue all vouchers" }).click();
    await question.getByRole("button", { name: "Issue them" }).click();
    await page.getByText("40 of 40, 0 refused").waitFor();
    await assertAccessible(page);
    await scheme.until("/vouchers?batchId=BATCH-WEB&limit=100", ({ items }) =>
      (items as unknown[]).length === 40 ? true : undefined,
    );
    await page.getByRole("link", { name: "See the vouchers" }).click();
    await sees(() => page.getByLabel("Batch").inputValue(), "BATCH-WEB");
    await page.getByRole("cell", { name: "did:x:family/0", exact: true }).waitFor();
    await screenshot(page, "implementer-vouchers-phone");
  });

  it("print the codes that were issued with vouchers", async () => {
    const page = await open("/implementer/codes");
    const row = page.getByRole("row", { name: /BATCH-WEB/ });
    await row.getByRole("cell", { name: "6", exact: true }).waitFor();
    await screenshot(page, "implementer-codes");
    await assertAccessible(page);
    const saving = page.waitForEvent("download");
    await row.getByRole("button", { name: "Download the papers of BATCH-WEB" }).click();
    const file = await saving;
    assert.match(file.suggestedFilename(), /^codes OPER-\w+\.pdf$/);
    const pages = codesOnPages(await readFile(await file.path()));
    assert.deepEqual([pages.length, new Set(pages.flat()).size], [40, 240]);
  });

  it("buy CARBON and convert it with signatures of the implementer's account", async () => {
    await fillPool(test, scheme);
    const page = await open("/implementer/pool", undefined, /net::ERR_FAILED|status of 409/);
    await new BrowserWallet(test.stack.rpcUrl, { accounts: [scheme.implementer] }).install(page);
    await page.reload();
    await page.getByLabel("Stablecoin to spend").fill("40");
    await page.getByRole("button", { name: "Quote" }).click();
    await page.getByText("You get at least").waitFor();
    await screenshot(page, "implementer-quote");
    await assertAccessible(page);
    await page.getByRole("button", { name: "Connect Test Wallet" }).click();
    const keys: (string | undefined)[] = [];
    await page.route("**/v1/pool/swap", async (route) => {
      const answer = await route.fetch();
      const key = route.request().headers()["idempotency-key"];
      const isSigned = route.request().postDataJSON().signatures !== undefined;
      if (!isSigned) return await route.fulfill({ response: answer });
      keys.push(key);
      await (keys.length === 1 ? route.abort() : route.fulfill({ response: answer }));
    });
    await page.getByRole("button", { name: "Sign and buy" }).click();
    await page.getByText("The result of your last order is unknown").waitFor();
    await page.reload();
    await page.getByText("40.00 USD → ≥").waitFor();
    await screenshot(page, "implementer-order-open");
    await assertAccessible(page);
    // It was carried out, so it cannot be cancelled any more.
    await page.getByRole("button", { name: "Cancel the order …" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Sign and cancel the order" }).click();
    await dialog.getByText("order-unused").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Ask for the result" }).click();
    await page.getByText("Bought").waitFor();
    assert.equal(keys.length, 2);
    assert.equal(keys[1], keys[0]);
    const bought = async () =>
      ((await scheme.get("/pool/swaps")).items as { side: string; amountIn: number }[])
        .filter(({ side }) => side === "buy")
        .map(({ amountIn }) => amountIn);
    await sees(bought, [40]);
    await screenshot(page, "implementer-bought");
    await page.getByRole("link", { name: "Conversions" }).click();
    await page.getByLabel("Authorization").and(page.locator("input")).click();
    await page.getByRole("option", { name: "ZMB-WEB" }).click();
    await page.getByLabel("Tonnes").fill("1");
    await page.getByLabel("Vintage").fill("2025");
    await page.getByRole("button", { name: "Sign and convert" }).click();
    await page.getByText("The CARBON is in escrow").waitFor();
    await page.getByRole("cell", { name: "Waiting for the registry" }).waitFor();
    await screenshot(page, "implementer-conversion");
    await assertAccessible(page);
    const { items } = await scheme.get("/itmo/conversions");
    assert.deepEqual(
      (items as { quantity: number; status: string }[]).map(({ quantity, status }) => [quantity, status]),
      [[1, "requested"]],
    );
    // The page offers to take it back once the time has come. Here the page only believes so, and the chain is asked.
    await page.route(/\/v1\/itmo\/conversions\?/, async (route) => {
      const answer = await route.fetch();
      const json = (await answer.json()) as { items: { reclaimableFrom: string | null }[] };
      for (const item of json.items) item.reclaimableFrom = "2025-01-01T00:00:00.000Z";
      await route.fulfill({ response: answer, json });
    });
    await page.reload();
    await page.getByRole("button", { name: /^Take the CARBON back CONV-/ }).click();
    await assertAccessible(page);
    await page.getByRole("button", { name: "Sign and take it back" }).click();
    await page.getByRole("dialog").getByText("reclaim-time").waitFor();
    await screenshot(page, "implementer-reclaim-early");
    await page.unroute(/\/v1\/itmo\/conversions\?/);
  });

  it("cancel a signed order, which is then never carried out", async () => {
    const page = await open("/implementer/pool", undefined, /net::ERR_FAILED|status of 409/);
    const wallet = new BrowserWallet(test.stack.rpcUrl, { accounts: [scheme.implementer] });
    await wallet.install(page);
    // For the gas of its transactions.
    const chain = createTestClient({ mode: "anvil", transport: http(test.stack.rpcUrl) });
    await chain.setBalance({ address: scheme.implementer.address, value: parseEther("10") });
    await page.reload();
    const lost: { path: string; body: object }[] = [];
    const paths = ["/v1/pool/swap", "/v1/itmo/conversions"];
    for (const path of paths) {
      await page.route(`**${path}`, async (route) => {
        const body = route.request().method() === "POST" ? route.request().postDataJSON() : {};
        if (body.signatures === undefined) return await route.continue();
        lost.push({ path, body });
        await route.abort();
      });
    }
    const dialog = page.getByRole("dialog");
    const cancelIt = async () => {
      await page.getByText("The result of your last order is unknown").waitFor();
      await page.getByRole("button", { name: "Cancel the order …" }).click();
      await dialog.getByText("Your account signs, sends and pays for the transaction.").waitFor();
      await assertAccessible(page);
      await dialog.getByRole("button", { name: "Sign and cancel the order" }).click();
      await page.getByText("The order is cancelled and will never be carried out").waitFor();
      await assertAccessible(page);
    };
    await page.getByLabel("Stablecoin to spend").fill("3");
    await page.getByRole("button", { name: "Quote" }).click();
    await page.getByRole("button", { name: "Connect Test Wallet" }).click();
    await page.getByRole("button", { name: "Sign and buy" }).click();
    await cancelIt();
    await screenshot(page, "implementer-order-cancelled");
    await page.reload();
    await page.getByLabel("Stablecoin to spend").waitFor();
    await page.getByRole("link", { name: "Conversions" }).click();
    await page.getByLabel("Authorization").and(page.locator("input")).click();
    await page.getByRole("option", { name: "ZMB-WEB" }).click();
    await page.getByLabel("Tonnes").fill("1");
    await page.getByLabel("Vintage").fill("2025");
    await page.getByRole("button", { name: "Sign and convert" }).click();
    await cancelIt();
    assert.equal(wallet.asked.filter(({ method }) => method === "eth_sendTransaction").length, 2);
    // A copy of a cancelled order is useless to anyone.
    assert.deepEqual(
      lost.map(({ path }) => path),
      paths,
    );
    for (const { path, body } of lost) {
      const answer = await test.stack.call("POST", path, body, { authorization: `Bearer ${key}` });
      assert.equal(answer.status, 409, JSON.stringify(answer.body));
      assert.match(JSON.stringify(answer.body), /"order-unused"/);
    }
  });

  it("enter the moisture of wood on each day where the campaign counts dry mass", async () => {
    const reference = await drawDryCampaign(scheme);
    const page = await open("/implementer/measure/KPT-WEB-DRY", phone);
    await page.getByLabel("Household of the sample").and(page.locator("input")).click();
    await page.getByRole("option", { name: reference }).click();
    await page.getByLabel("There were no such events or factors").check();
    await page.getByLabel("Who weighed").fill("did:key:z6MkCollector");
    await page.getByLabel("Add another fuel").and(page.locator("input")).click();
    await page.getByRole("option", { name: "LPG" }).click();
    for (const day of [1, 2, 3]) {
      await page.getByLabel(`Visit ${day}: time`).fill("17:30");
      for (const [fuel, left] of [
        ["Wood (kg)", "7,225"],
        ["LPG (kg)", "9.9"],
      ] as const) {
        const of = page.getByRole("group", { name: fuel });
        await of.getByLabel(`Day ${day}: start`).fill("10");
        await of.getByLabel(`Day ${day}: left`).fill(left);
      }
    }
    await page.getByText("Campaign KPT-WEB-DRY counts dry mass: the moisture of wood is missing.").first().waitFor();
    const wood = page.getByRole("group", { name: "Wood (kg)" });
    assert.equal(await page.getByRole("group", { name: "LPG (kg)" }).getByText("moisture").count(), 0);
    await wood.getByLabel("What the moisture meter shows").and(page.locator("input")).click();
    await page.getByRole("option", { name: "Percent of the dry mass" }).click();
    const readings = ["18,5", "19", "18", "20", "19.25", "19", "18", "18", "19"];
    for (const day of [1, 2, 3]) {
      const fields = wood.getByRole("group", { name: `Day ${day}: moisture in percent` }).getByRole("textbox");
      for (const [i, reading] of readings.entries()) await fields.nth(i).fill(reading);
    }
    const last = wood.getByRole("group", { name: "Day 3: moisture in percent" }).getByLabel("Piece 3, point 3");
    await last.fill("100");
    await wood.getByText("Above 0 and below 100, with at most 2 decimals").waitFor();
    await screenshot(page, "implementer-kpt-moisture-phone");
    await assertAccessible(page);
    await last.fill("19");
    await page.getByText("All rules are met").waitFor();
    await page.reload();
    await sees(() => last.inputValue(), "19");
    await page.getByRole("button", { name: "File the measurement" }).click();
    await page.getByText(`Filed for ${reference}`).waitFor();
    const { items } = (await scheme.get("/campaigns/KPT-WEB-DRY/claims")) as { items: { id: string }[] };
    const claim = await scheme.get(`/claims/${items[0]?.id}`);
    // 2.775 ÷ 1.1875 = 2.3368… kg, rounded down on each of three days.
    assert.partialDeepStrictEqual(claim.fuels, [
      { fuel: "wood", total: 7.008, weighed: 8.325 },
      { fuel: "lpg", total: 0.3 },
    ]);
  });
});

/** Hand in the verifier's signature of KPT-WEB's data room by the screen, first one of another data room. */
async function signDataRoom(test: ConsoleTest, scheme: ConsoleScheme): Promise<void> {
  const made = await scheme.post("/keys", { role: "evaluator", name: "verifier" });
  const page = await test.open("/regulator/findings/KPT-WEB", { size: phone });
  await signIn(page, String(made.key));
  await page.getByRole("button", { name: "Hand in a signature" }).click();
  const dialog = page.getByRole("dialog");
  const dataRoomHash = (await dialog.locator("code", { hasText: /^0x[0-9a-f]{64}$/ }).textContent()) ?? "";
  const sign = (hash: string) => {
    const subject = { campaignId: "KPT-WEB", dataRoomHash: hash };
    return scheme.verifier.signCredential({ type: "DataRoomVerificationCredential", subject });
  };
  const text = dialog.getByLabel("Signed document as text");
  await text.fill("signed by hand");
  await dialog.getByRole("button", { name: "Hand in" }).click();
  await dialog.getByText("Enter a signed credential: a JWT, or JSON.").waitFor();
  await text.fill(await sign(`0x${"0".repeat(64)}`));
  await dialog.getByRole("button", { name: "Hand in" }).click();
  await dialog.getByText(`The data room has the hash ${dataRoomHash}; the credential names another.`).waitFor();
  await dialog.getByText("data-room-current").waitFor();
  await screenshot(page, "findings-signature-phone");
  await assertAccessible(page);
  const body = JSON.stringify({ verifiableCredential: await sign(dataRoomHash) });
  const file = { name: "signed.json", mimeType: "application/json", buffer: Buffer.from(body) };
  await dialog.locator("input[type=file]").setInputFiles(file);
  await sees(() => text.inputValue(), body);
  await dialog.getByRole("button", { name: "Hand in" }).click();
  await page.getByRole("heading", { name: "Verifiers’ signatures of the data room" }).waitFor();
  await page.getByText(scheme.verifier.did).waitFor();
}

/** Draw a campaign that counts dry mass, of one household in each group. @returns the reference household */
async function drawDryCampaign(scheme: ConsoleScheme): Promise<string> {
  const campaignId = "KPT-WEB-DRY";
  const [reference, intervention] = ["did:x:dry/1", "did:x:dry/2"] as const;
  for (const did of [reference, intervention]) await scheme.post("/households", { did });
  await registerDevices(scheme, [intervention]);
  const terms = { method: "smec-4", fuel: "wood", area: "ZMB", householdSize: 4.5, life: 3, daf: 0.1, he: 0.9 };
  await scheme.post("/campaigns", {
    campaignId,
    planId: scheme.planId,
    testPeriod: { startDate: "2025-02-01", endDate: "2025-02-03" },
    sampleSize: 1,
    season: "dry",
    groups: { reference: { frame: [reference] }, intervention: { frame: [intervention] } },
    emissions: { ...terms, fuelMass: "dry", dryNcv: { wood: 0.0184 } },
  });
  const reveal = await scheme.joinDraw(campaignId);
  await scheme.post(`/campaigns/${campaignId}/draw`, {});
  await reveal();
  return reference;
}

/** Add a paid delivery, so that the pool has CARBON; stablecoin for the implementer; and an authorization for the conversion. */
async function fillPool({ stack }: ConsoleTest, scheme: ConsoleScheme): Promise<void> {
  const { supplierDid, productId, post } = scheme;
  const recipient = "did:x:family/1";
  const voucherId = await scheme.issue(recipient, 5_000);
  const { redemptionId } = await post("/vouchers/redeem", { voucherId, supplierDid, amount: 5_000, productId });
  const proof = await scheme.deliveryCredential({ redemptionId: String(redemptionId), recipient });
  await post("/claims", { redemptionId, verifiableCredential: { type: "ProductDeliveryCredential", proof } });
  await post("/dev/faucet", { account: scheme.implementer.address, amount: 1_000 });
  await post("/itmo/cooperative-approaches", {
    cooperativeApproachId: "CA0001",
    firstTransferringPartyId: "ZMB",
    participatingPartyIds: ["CHE"],
    sectors: ["Energy generation"],
    activityType: "Energy Efficiency households",
  });
  await post("/itmo/authorizations", {
    authorizationId: "ZMB-WEB",
    cooperativeApproachId: "CA0001",
    date: "2025-01-15",
    authorizedQuantity: 100,
    purpose: "NDC and OIMP",
    authorizedEntities: [{ name: "Buyer AG", countryOfIncorporation: "CHE", id: "CHE-1" }],
    timeframe: "2021 - 2030",
    firstTransferDefinition: "Use or Cancellation",
  });
  const answer = await stack.call("GET", "/v1/pool");
  assert.equal(answer.status, 200);
}

/** Units and their usage are counted from registered devices. */
async function registerDevices({ planId, post }: ConsoleScheme, households: readonly string[]): Promise<void> {
  const installed = { model: "Pellet stove", planId, installedOn: "2025-01-15" };
  await Promise.all(
    households.map((householdDid) =>
      post("/devices", { ...installed, serial: `STOVE-${householdDid.replaceAll(/\W/g, "-")}`, householdDid }),
    ),
  );
}

/** Every drawn device of KPT-WEB is seen in use. */
async function surveyDevices({ get, post }: ConsoleScheme): Promise<void> {
  const path = "/campaigns/KPT-WEB/usage-survey";
  const { items } = (await get(`${path}/positions?limit=100`)) as {
    items: { position: number; householdId: string }[];
  };
  assert.equal(items.length, frames.intervention.length);
  for (const { position, householdId } of items) {
    const evidence = [{ uri: "https://photos.example/1.jpg" }];
    const seen = { deviceSeen: true, inUse: true, date: "2025-02-03", surveyorDid: "did:key:z6MkSurveyor", evidence };
    await post(`${path}/records`, { position, householdId, ...seen });
  }
}

/** All that turns the measurements into tonnes, before the draw; a comma is a decimal sign. */
async function fillTerms(page: Page): Promise<void> {
  await page.getByLabel("Method of the certificate").selectOption("smec-4");
  await page.getByLabel("Fuel of both groups").selectOption("wood");
  await page.getByLabel("Area").selectOption("ZMB");
  const rates = { "Downward adjustment": "0.1", "Hawthorne effect (share that stays)": "0.9" };
  const terms = { "People in a household, mean": "4,5", ...rates, "Technical life (years)": "3" };
  for (const [label, text] of Object.entries(terms)) await page.getByLabel(label).fill(text);
}

/** The measurements of KPT-WEB that the page did not file: each reference household uses 1.1 kg a day, each other one 0.3 kg. */
async function measureTheRest(scheme: ConsoleScheme): Promise<void> {
  const { groups } = (await scheme.get("/campaigns/KPT-WEB")) as {
    groups: Record<"reference" | "intervention", { sample: string[]; missingHouseholds: { householdId: string }[] }>;
  };
  const { items } = (await scheme.get("/campaigns/KPT-WEB/claims")) as { items: { householdId: string }[] };
  const measured = new Set(items.map(({ householdId }) => householdId));
  const days = { reference: 1.1, intervention: 0.3 };
  const totals = { reference: 3.3, intervention: 0.9 };
  for (const testGroup of ["reference", "intervention"] as const) {
    const missing = groups[testGroup].missingHouseholds.map(({ householdId }) => householdId);
    const open = groups[testGroup].sample.filter((did) => !measured.has(did) && !missing.includes(did));
    for (const householdId of open) {
      const day = days[testGroup];
      await scheme.post("/claims", {
        type: "KPTClaim",
        campaignId: "KPT-WEB",
        householdId,
        testGroup,
        testPeriod: { startDate: "2025-02-03", endDate: "2025-02-05", durationDays: 3 },
        fuelMeasurements: { total: totals[testGroup], dailyLogs: [day, day, day] },
        externalFactors: { season: "dry", culturalEvents: [], occupationalFactors: [] },
      });
    }
  }
}
