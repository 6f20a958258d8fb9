import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { withoutBrowser } from "../support/browser.ts";
import { sharedBrowser } from "../support/shared-browser.ts";
import { type ConsoleTest, phone, signIn } from "./console.ts";
import { createConsoleScheme } from "./console-scheme.ts";
import { openSharedConsole } from "./shared-console.ts";

describe("a supplier's page without a camera", { skip: withoutBrowser() }, () => {
  let test: ConsoleTest;
  let withoutDevice: Browser;
  let voucherId: string;
  before(async () => {
    // There is a camera, but the page has no permission.
    test = await openSharedConsole({ args: ["--use-fake-device-for-media-stream"] });
    withoutDevice = await sharedBrowser();
    const scheme = await createConsoleScheme(test.stack, "camera");
    await scheme.post("/households", { did: "did:x:household-of-camera/1", region: "Lusaka" });
    voucherId = await scheme.issue("did:x:household-of-camera/1", 10);
  });
  after(() => test?.close());

  async function scanThenType(browser: Browser, told: RegExp): Promise<void> {
    const context = await browser.newContext({ viewport: phone, locale: "en-GB" });
    const page = await context.newPage();
    await page.goto(`${test.stack.url}/console/supplier/redeem`);
    await signIn(page);
    await page.getByRole("combobox", { name: "Supplier you act for" }).click();
    await page.getByRole("option").first().click();
    await page.getByRole("button", { name: "Scan a code" }).click();
    await page.getByRole("dialog").getByText(told).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByRole("textbox", { name: "Voucher" }).fill(voucherId);
    await page.getByRole("button", { name: "Look it up" }).click();
    await page.getByText("10 CARBON").waitFor();
    await context.close();
  }

  it("reports a camera that the page may not use, and accepts the typed number", () =>
    scanThenType(test.browser, /may not use the camera/));

  it("reports a missing camera, and accepts the typed number", () =>
    scanThenType(withoutDevice, /No camera was found/));
});
