import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import ExcelJS from "exceljs";
import type { Page } from "playwright-core";
import { withoutBrowser } from "../support/browser.ts";
import { assertAccessible, type ConsoleTest, phone, screenshot, signIn } from "./console.ts";
import { type ConsoleScheme, createConsoleScheme } from "./console-scheme.ts";
import { openSharedConsole } from "./shared-console.ts";

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

  async function open(path: string, size?: typeof phone): Promise<Page> {
    const page = await test.open(path, size && { size });
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
});
