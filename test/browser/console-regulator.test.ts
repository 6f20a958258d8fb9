import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import excel from "exceljs";
import type { Page } from "playwright-core";
import { checks } from "../../indexer/reports/checks/double-counting.ts";
import { runCommand } from "../../scripts/run-command.ts";
import { withoutBrowser } from "../support/browser.ts";
import { peerApiKey, startCadTrustPeer } from "../support/cad-trust-peer.ts";
import { untilFound } from "../support/until.ts";
import {
  assertAccessible,
  assertNoViolation,
  type ConsoleTest,
  desktop,
  goTo,
  phone,
  screenshot,
  signIn,
} from "./console.ts";
import { openSharedConsole } from "./shared-console.ts";
import { type StoryIds, tellTheStory } from "./story.ts";
import { textsIn } from "./texts-in.ts";
import { atRest, sees } from "./waiting.ts";

describe("the regulator's console", { skip: withoutBrowser() }, () => {
  let test: ConsoleTest;
  let ids: StoryIds;
  let page: Page;

  before(async () => {
    test = await openSharedConsole();
    ids = await tellTheStory(test.stack);
    page = await test.open();
    await signIn(page);
  });
  after(() => test?.close());

  const visit = async (path: string, heading: string | RegExp) => {
    await goTo(page, `/regulator/${path}`);
    await page.getByRole("heading", { level: 1, name: heading }).waitFor();
  };
  /** Load a page that is open already, as it is at first. An admin's key is lost. */
  const reload = async (path: string, heading: string | RegExp) => {
    await page.goto(`${test.stack.url}/console/regulator/${path}`);
    await signIn(page);
    await page.getByRole("heading", { level: 1, name: heading }).waitFor();
  };

  /** The check symbol of an id can be one that an address encodes: `$` or `=`. */
  const isTraceOf = (id: string) => (url: URL) => decodeURIComponent(url.pathname).endsWith(`/regulator/trace/${id}`);

  it("lists certificates, filters them, and opens the trace of one", async () => {
    await visit("certificates", "Certificates");
    await page.getByText("5 rows").waitFor();
    await page.getByLabel("Id contains").fill("CERT-ITMO");
    await page.getByText("1 row", { exact: true }).waitFor();
    await screenshot(page, "certificates-desktop");
    await assertAccessible(page);
    await page.getByLabel("Id contains").fill("nothing of this name");
    await page.getByText("Nothing matches these filters.").waitFor();
    await page.getByRole("button", { name: "Clear the filters" }).click();
    await page.getByText("5 rows").waitFor();
    await page.getByRole("link", { name: ids.certificate }).click();
    await page.getByRole("button", { name: `Certificate ${ids.certificate}` }).waitFor();
  });

  it("begins with the scheme's figures, each with a link to its records", async () => {
    const { body } = await test.stack.call("GET", "/reports/summary");
    const { tonnes, certificates } = body as { tonnes: Record<string, number>; certificates: { count: number }[] };
    const visitor = await test.open();
    await visitor.getByRole("button", { name: "Continue without a key" }).click();
    for (const opened of [visitor, page]) {
      await goTo(opened, "/");
      const card = (label: string) => opened.locator("#content").getByRole("link", { name: new RegExp(`^${label}`) });
      const figure = (value: number | undefined) =>
        `${new Intl.NumberFormat("en-GB", { maximumFractionDigits: 3 }).format(value ?? 0)} t CO₂e`;
      await card("Verified").getByText(figure(tonnes.verified), { exact: true }).waitFor();
      await card("Spent by households").getByText(figure(tonnes.spent), { exact: true }).waitFor();
      await card("Does it add up\\?").getByText("Yes").waitFor();
      await opened.getByRole("img", { name: /^CARBON issued, spent and converted/ }).waitFor();
      await assertAccessible(opened);
      await screenshot(opened, opened === page ? "home-admin" : "home-visitor");
      for (const [label, heading] of [
        ["Verified", "Certificates"],
        ["Issued as vouchers", "Vouchers"],
        ["Spent by households", "Redemptions"],
        ["Converted to ITMOs", "ITMOs"],
        ["Does it add up\\?", "Double counting"],
      ] as const) {
        await card(label).click();
        await opened.getByRole("heading", { level: 1, name: heading }).waitFor();
        await opened.goBack();
      }
      const count = certificates.reduce((total, each) => total + each.count, 0);
      await card("Verified").getByText(`${count} certificates`).waitFor();
    }
    await page.setViewportSize(phone);
    await assertAccessible(page);
    await page.setViewportSize(desktop);
  });

  it("searches from every page: the key / opens it, arrows move, Enter opens the record", async () => {
    const visitor = await test.open("/regulator/pool");
    await visitor.getByRole("button", { name: "Continue without a key" }).click();
    await visitor.getByRole("heading", { level: 1, name: "Liquidity pool" }).waitFor();
    await visitor.keyboard.press("/");
    const dialog = visitor.getByRole("dialog", { name: "Search" });
    await dialog.getByRole("textbox", { name: "Search" }).and(visitor.locator(":focus")).waitFor();
    await visitor.keyboard.type(ids.certificate.slice(0, -1));
    await dialog.getByRole("link", { name: new RegExp(`Certificate.*${ids.certificate}`) }).waitFor();
    await assertAccessible(visitor);
    await screenshot(visitor, "search-desktop");
    await visitor.keyboard.press("ArrowDown");
    await sees(() => visitor.locator(":focus").evaluate(({ tagName }) => tagName), "A");
    await visitor.keyboard.press("ArrowUp");
    await visitor.locator("input:focus").fill(ids.certificate);
    await dialog.getByText("1 result", { exact: true }).waitFor();
    await visitor.keyboard.press("ArrowDown");
    await sees(() => visitor.locator(":focus").evaluate(({ tagName }) => tagName), "A");
    // Enter counts even before the results are there, and results that replace a focused link give the focus back.
    await dialog.getByRole("textbox").fill("no record has this name");
    await dialog.getByText("Nothing was found.").waitFor();
    await visitor.locator("input:focus").fill(ids.block);
    await visitor.keyboard.press("Enter");
    await visitor.waitForURL(isTraceOf(ids.block));
    await visitor.setViewportSize(phone);
    await visitor.getByRole("button", { name: "Search" }).click();
    await dialog.getByRole("textbox").fill("there is nothing of this name");
    await dialog.getByText("Nothing was found.").waitFor();
    await assertAccessible(visitor);
  });

  it("keeps the last row above the scrollbar of a table that is wider than the screen", async () => {
    await page.setViewportSize(phone);
    await visit("certificates", "Certificates");
    await page.getByText("5 rows").waitFor();
    const frame = page.getByRole("region", { name: "Certificates" });
    /** Space between the last row and the frame's lower edge, in px; Playwright's scrollbars are drawn over the content. */
    const below = () =>
      frame.evaluate((element) => {
        const last = element.querySelector('[aria-rowindex="6"]')?.getBoundingClientRect().bottom ?? Number.NaN;
        return Math.round(element.getBoundingClientRect().top + element.clientTop + element.clientHeight - last);
      });
    await sees(async () => (await below()) >= 12, true);
    assert.ok(await frame.evaluate((element) => element.scrollHeight <= element.clientHeight));
    await page.setViewportSize(desktop);
  });

  it("scrolls to the last of a thousand vouchers; only visible rows are in the page", async () => {
    await visit("vouchers", "Vouchers");
    await page.getByText("1,015 rows").waitFor();
    const table = page.getByRole("grid", { name: "Vouchers" });
    assert.equal(await table.getAttribute("aria-rowcount"), "1016");
    await page
      .getByRole("region", { name: "Vouchers" })
      .evaluate((frame) => frame.scrollTo({ top: frame.scrollHeight }));
    await page.locator('[aria-rowindex="1016"]').getByRole("link").first().waitFor();
    assert.ok((await table.getByRole("row").count()) < 60);
    await assertAccessible(page);
    await page.getByRole("button", { name: "Value" }).click();
    await page.locator('[role=columnheader][aria-sort="ascending"]', { hasText: "Value" }).waitFor();
  });

  it("keeps filters, order and place in the address, over Back and a reload, and downloads all rows", async () => {
    const visitor = await test.open("/regulator/vouchers?status=active&sort=-value");
    await visitor.getByRole("button", { name: "Continue without a key" }).click();
    const frame = visitor.getByRole("region", { name: "Vouchers" });
    const top = () => frame.evaluate(({ scrollTop }) => scrollTop);
    const isThere = async () => {
      await sees(async () => (await top()) > 4_000, true);
      await visitor.locator('[role=columnheader][aria-sort="descending"]', { hasText: "Value" }).waitFor();
      assert.match(visitor.url(), /status=active/);
    };
    // Until the rows are counted, the table is too short to scroll there.
    await visitor.getByText(/^[\d,]+ rows$/).waitFor();
    await frame.evaluate((element) => element.scrollTo({ top: 4_400 }));
    await visitor.waitForURL(/row=101/);
    await visitor.locator('[aria-rowindex="103"]').getByRole("link").first().click();
    await visitor.waitForURL("**/regulator/trace/**");
    await visitor.goBack();
    await isThere();
    await visitor.reload();
    await isThere();
    const { body } = await test.stack.call("POST", "/graphql", {
      query: '{ vouchers(where: { status: "active" }) { totalCount } }',
    });
    const { totalCount } = (body.data as { vouchers: { totalCount: number } }).vouchers;
    for (const format of ["CSV", "XLSX"]) {
      await visitor.getByRole("button", { name: "Download Vouchers" }).click();
      const [download] = await Promise.all([
        visitor.waitForEvent("download"),
        visitor.getByRole("menuitem", { name: format }).click(),
      ]);
      assert.equal(download.suggestedFilename(), `vouchers.${format.toLowerCase()}`);
      const bytes = await readFile(await download.path());
      if (format === "XLSX") assert.equal(bytes.subarray(0, 2).toString(), "PK");
      else assert.equal(bytes.toString().trimEnd().split("\r\n").length, totalCount + 1);
    }
    await assertAccessible(visitor);
  });

  it("marks and centres the ITMO block that a serial names, and prints the trace on one page", async () => {
    const visitor = await test.open(`/regulator/trace/${ids.uniqueId}`);
    await visitor.getByRole("button", { name: "Continue without a key" }).click();
    const asked = visitor.locator('button[data-subject="true"]');
    await asked.getByText(ids.block).waitFor();
    const frame = visitor.getByRole("region", { name: /Picture of the trace/ });
    await sees(async () => {
      const [inner, outer] = [await asked.boundingBox(), await frame.boundingBox()];
      if (inner === null || outer === null) return false;
      return inner.x >= outer.x && inner.x + inner.width <= outer.x + outer.width && inner.y >= outer.y;
    }, true);
    const pdf = (await visitor.pdf({ format: "A4", landscape: true })).toString("latin1");
    assert.equal(pdf.match(/\/Type\s*\/Page[^s]/g)?.length, 1);
    await visitor.getByRole("tab", { name: /^History/ }).click();
    const saysMinted = /^\d+ t CO₂e minted as ITMOs$/;
    const minted = visitor
      .getByRole("row")
      .filter({ has: visitor.getByRole("cell", { name: saysMinted }) })
      .first();
    await minted.waitFor();
    await visitor.waitForURL(/tab=history/);
    await screenshot(visitor, "trace-history-of-itmos");
    await minted.getByText("Details").click();
    await minted.getByRole("row", { name: `ITMO block ${ids.block}` }).waitFor();
    const saving = visitor.waitForEvent("download");
    await visitor.getByRole("button", { name: "Download" }).click();
    await visitor.getByRole("menuitem", { name: "CSV" }).click();
    assert.match(await readFile(await (await saving).path(), "utf8"), /""blockId"":""\d+""/);
    await assertAccessible(visitor);
  });

  it("moves through a thousand vouchers by keys alone, and opens the last", async () => {
    await reload("vouchers", "Vouchers");
    const row = (place: number) => page.locator(`[role="row"][aria-rowindex="${place + 1}"]`);
    const isFocused = (place: number) => row(place).and(page.locator(":focus")).waitFor();
    await row(1).getByRole("link").first().waitFor();
    // Until the rows are counted, the End key moves to the last known row.
    await page.getByText("1,015 rows").waitFor();
    await page.getByRole("button", { name: "Expires" }).focus();
    await page.keyboard.press("Tab");
    await isFocused(1);
    await page.keyboard.press("ArrowDown");
    await isFocused(2);
    await page.keyboard.press("End");
    await isFocused(1_015);
    await page.keyboard.press("PageUp");
    await page.keyboard.press("Home");
    await isFocused(1);
    await page.keyboard.press("End");
    await isFocused(1_015);
    const id = await row(1_015).getByRole("link").first().textContent();
    // Tab moves to the links of this row only.
    await page.keyboard.press("Tab");
    await sees(() => page.locator(":focus").textContent(), id);
    await sees(() => page.locator('[role="row"] a:not([tabindex="-1"])').count(), 2);
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL(isTraceOf(`${id}`));
  });

  it("opens the row that was pressed while the list still reports where it was scrolled to", async () => {
    const visitor = await test.open("/regulator/vouchers");
    await visitor.getByRole("button", { name: "Continue without a key" }).click();
    await visitor.getByText("1,015 rows").waitFor();
    await visitor.route("**/trace-page*.js", async (route) => {
      await setTimeout(1_500);
      await route.continue();
    });
    const frame = visitor.getByRole("region", { name: "Vouchers" });
    await frame.evaluate((element) => element.scrollTo({ top: 4_400 }));
    const link = visitor.locator('[aria-rowindex="103"]').getByRole("link").first();
    const id = await link.textContent();
    await link.press("Enter");
    await visitor.getByRole("button", { name: `Voucher ${id}` }).waitFor();
    assert.ok(isTraceOf(`${id}`)(new URL(visitor.url())), visitor.url());
  });

  it("shows a trace as a picture whose nodes show their transactions, and as a table", async () => {
    await reload(`trace/${ids.block}`, "Trace");
    const picture = page.getByRole("region", { name: /Picture of the trace/ });
    const subject = picture.getByRole("button", { name: `ITMO block ${ids.block}` });
    await subject.waitFor();
    const { links } = (await (await fetch(`${test.stack.url}/reports/trace/${ids.block}`)).json()) as { links: Link[] };
    const nodes = new Set(links.flatMap(({ from, to }) => [`${from.type} ${from.id}`, `${to.type} ${to.id}`]));
    await sees(() => picture.locator("button[data-type]").count(), nodes.size);
    await assertAccessible(page);
    await screenshot(page, "trace-desktop");
    await subject.focus();
    await page.keyboard.press("Enter");
    const drawer = page.getByRole("dialog");
    const minted = links.find(({ to, relation }) => to.id === ids.block && relation === "minted");
    await drawer.locator("code", { hasText: minted?.transactionHash ?? "no link" }).waitFor();
    await assertAccessible(page);
    await page.keyboard.press("Escape");
    await page.getByRole("tab", { name: `Steps (${links.length})` }).click();
    await sees(() => page.getByRole("table", { name: "Steps" }).locator("tbody tr").count(), links.length);
    await assertAccessible(page);
    await page.getByRole("button", { name: "Download Steps" }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: "XLSX" }).click(),
    ]);
    assert.equal(download.suggestedFilename(), "steps.xlsx");
    const book = new excel.Workbook();
    await book.xlsx.readFile(await download.path());
    const sheet = book.worksheets[0];
    const rows = Array.from({ length: sheet?.rowCount ?? 0 }, (_, index) =>
      ((sheet?.getRow(index + 1).values ?? []) as unknown[]).slice(1),
    );
    assert.deepEqual(rows[0], ["From", "Step", "To", "Transaction"]);
    assert.deepEqual(
      rows.slice(1).map((row) => row[3]),
      links.map(({ transactionHash }) => transactionHash),
    );
  });

  it("shows the record of each kind of node in words, in French too", async () => {
    const french = await test.open(`/regulator/trace/${ids.block}`, { locale: "fr-FR" });
    await french.getByRole("button", { name: textsIn("fr")("Continue without a key") }).click();
    const drawer = french.getByRole("dialog");
    const nodes = french.locator("button[data-type]");
    await nodes.first().waitFor();
    const types = new Set(await nodes.evaluateAll((all) => all.map((each) => each.getAttribute("data-type") ?? "")));
    assert.ok(types.has("voucher") && types.has("claim") && types.has("itmo-block"), [...types].join(" "));
    const names = new Map<string, string[]>();
    for (const type of types) {
      await french.locator(`button[data-type="${type}"]`).first().press("Enter");
      await drawer.waitFor();
      await atRest(french);
      names.set(type, await drawer.locator("tbody th").allTextContents());
      const shown = (await drawer.allInnerTexts()).join("\n").split("\n");
      assert.deepEqual(
        shown.filter((text) => /[{}]|null|undefined|\b[a-z]+[A-Z][a-z]+\b/.test(text)),
        [],
        type,
      );
      assert.equal(await drawer.locator("tbody th code").count(), 0, `${type} has a field without a name`);
      if (type === "redemption") await drawer.getByText("Accord du ménage").waitFor();
      await screenshot(french, `trace-record-${type}`);
      await assertNoViolation(french, type);
      await french.keyboard.press("Escape");
      await drawer.waitFor({ state: "hidden" });
    }
    assert.ok(names.get("redemption")?.includes("Fournisseur"), JSON.stringify([...names]));
  });

  it("traces a typed ITMO id, and reports an unknown one", async () => {
    await visit("trace", "Trace");
    await page.getByLabel("Id, serial or transaction").fill(ids.uniqueId);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: `ITMO block ${ids.block}` }).waitFor();
    await page.getByLabel("Id, serial or transaction").fill("CERT-NOWHERE");
    await page.getByRole("button", { name: "Trace", exact: true }).click();
    await page.getByRole("alert").getByText("CERT-NOWHERE").waitFor();
  });

  it("shows the pool's solvency, the ITMOs and the checks of double counting", async () => {
    await visit("pool", "Liquidity pool");
    await page.getByText("Solvent", { exact: true }).waitFor();
    await page.getByText("4 rows").waitFor();
    await page.getByRole("img", { name: /CARBON that the pool bought/ }).waitFor();
    await assertAccessible(page);
    await visit("itmos", "ITMOs");
    await page.getByText("5 rows").waitFor();
    await assertAccessible(page);
    await page.getByRole("tab", { name: "Conversions" }).click();
    // One is final, and one waits.
    await page.getByText("2 rows", { exact: true }).waitFor();
    await visit("double-counting", "Double counting");
    await page.getByText("No double counting was found").waitFor();
    await sees(() => page.getByRole("table").locator("tbody tr").count(), checks.length);
    await assertAccessible(page);
  });

  it("downloads the AEF tables in each format of the report", async () => {
    await visit("aef", "Agreed electronic format");
    // Parties of the cooperative approaches are suggested; any other can be typed, also in lower case.
    const party = page.getByRole("combobox", { name: "Party" });
    await party.fill("gh");
    await page.getByText("ZMB").waitFor({ state: "hidden" });
    await party.fill("z");
    await page.getByRole("option", { name: "ZMB" }).click();
    assert.equal(await party.inputValue(), "ZMB");
    await page.getByRole("button", { name: "Show" }).click();
    await page.getByText("No problem was found.").waitFor();
    await page.waitForURL(/party=ZMB/);
    await assertAccessible(page);
    const year = new Date().getUTCFullYear();
    for (const [format, begins] of [
      ["XLSX", "PK"],
      ["CSV (zip)", "PK"],
      ["JSON", "{"],
    ] as const) {
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: `Download ${format}` }).click(),
      ]);
      const bytes = await readFile(await download.path());
      assert.equal(bytes.subarray(0, begins.length).toString(), begins);
      assert.match(download.suggestedFilename(), new RegExp(`ZMB.*${year}`, "i"));
    }
  });

  it("lets the regulator record parameters: the fields follow from the kind", async () => {
    await visit("parameters", "Parameters of the calculation");
    // Every system of these tests is shared, so the rule is only looked at.
    await page.getByText("Redemptions by PIN and without consent are allowed").waitFor();
    await page.getByRole("button", { name: "Require it for every redemption" }).click();
    await page.getByText("Cards with a PIN stop working at all tills immediately.").waitFor();
    await assertAccessible(page);
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    const dialog = page.getByRole("dialog");
    const open = async (kind: string) => {
      await page.getByRole("button", { name: "Record a parameter" }).click();
      await choose("Kind", kind);
    };
    const choose = async (label: string, option: string) => {
      await dialog.getByRole("combobox", { name: label }).click();
      await page.getByRole("option", { name: option, exact: true }).click();
    };
    const record = async (source: string) => {
      await dialog.getByLabel("Source").fill(source);
      await dialog.getByRole("button", { name: "Register" }).click();
    };
    await open("fNRB of a country");
    await dialog.getByLabel("Country or region").fill("Ghana");
    await dialog.getByLabel("Value").fill("1,2");
    await dialog.getByLabel("Valid from").fill("2026-01-01");
    await record("EPA decision 2026/14");
    await dialog.getByText("Enter three letters.").waitFor();
    await dialog.getByLabel("Country or region").fill("gha");
    await record("EPA decision 2026/14");
    await dialog.getByText("fnrb lies from 0 to 1").waitFor();
    await screenshot(page, "parameter-fnrb-desktop");
    await assertAccessible(page);
    await dialog.getByLabel("Value").fill("0,415");
    await record("EPA decision 2026/14");
    const row = page.getByRole("row").filter({ hasText: "GHA" }).filter({ hasText: "EPA decision 2026/14" });
    await row.getByText("0.415").waitFor();

    await open("Stricter minimum of a method");
    await choose("Method", "vm0050-1");
    await choose("Minimum", "Households measured in each group");
    assert.equal(await dialog.getByLabel("Country or region", { exact: true }).count(), 0);
    await dialog.getByLabel("Only for a country or region").fill("GHA");
    await dialog.getByLabel("Value").fill("1");
    await record("EPA decision 2026/15");
    await dialog.getByText("method-minimum lies from").waitFor();
    await page.setViewportSize(phone);
    await screenshot(page, "parameter-minimum-phone");
    await assertAccessible(page);
    await page.setViewportSize(desktop);
    await dialog.getByLabel("Value").fill("60");
    await record("EPA decision 2026/15");
    await page.getByRole("row").filter({ hasText: "vm0050-1/sample/GHA" }).waitFor();

    await open("NDC: accounting method");
    await dialog.getByLabel("Party").fill("GHA");
    await choose("Choice", "Averaging");
    await dialog.getByLabel("Valid from").fill("2021-01-01");
    await dialog.getByLabel("Valid to").fill("2030-12-31");
    await record("Initial report of Ghana");
    await page.getByRole("row").filter({ hasText: "ndc-method" }).filter({ hasText: "averaging" }).first().waitFor();
    const { body } = await test.stack.call("GET", "/v1/parameters?kind=ndc-method&key=GHA");
    assert.partialDeepStrictEqual(body.items, [{ choice: "averaging", validTo: "2030-12-31" }]);
  });

  it("plots a campaign's groups and its emission reduction line by line", async () => {
    await visit("campaigns", "KPT campaigns");
    await page.getByRole("link", { name: ids.campaign, exact: true }).click();
    await page.getByRole("heading", { level: 1, name: `Result of ${ids.campaign}` }).waitFor();
    await sees(() => page.locator(".recharts-scatter-symbol").count(), 24);
    const steps = page.getByRole("table", { name: "Emission reduction, step by step" });
    await steps.waitFor();
    assert.equal(await steps.locator("tr").last().locator("th").textContent(), "Emission reduction");
    const lines = page.getByText(/^All lines of the calculation/);
    await lines.click();
    const count = Number(/\((\d+)\)/.exec((await lines.textContent()) ?? "")?.[1]);
    assert.ok(count > 30, String(count));
    const rows = page.getByRole("table", { name: "All lines of the calculation" }).locator("tbody tr");
    await sees(() => rows.count(), count);
    const figures = page.getByRole("table", { name: "Reduction", exact: true });
    for (const row of ["As measured", "With unmeasured households counted against the project"])
      assert.match((await figures.getByRole("row", { name: row }).textContent()) ?? "", /\d.* t CO₂e/);
    await page.getByText("No other campaign of the implementer tests these households in this year.").waitFor();
    await assertAccessible(page);
    await screenshot(page, "campaign-desktop");
  });

  it("shows the demo's verification, and downloads a data room that repeats outside the system", async () => {
    await visit(`campaigns/${ids.campaign}`, `Result of ${ids.campaign}`);
    await page.getByText("CL 1", { exact: true }).waitFor();
    await page.getByText("How were the scales checked in the field?").waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Data room" }).click(),
    ]);
    const { body } = await test.stack.call("GET", `/v1/campaigns/${ids.campaign}/draw`);
    const room = await download.path();
    const issuer = join(test.stack.dataDir, "did.json");
    const document = await test.stack.call("GET", "/.well-known/did.json");
    await writeFile(issuer, JSON.stringify(document.body));
    const chain = ["--did-document", issuer, "--rpc", test.stack.rpcUrl, "--contract", String(body.contract)];
    const repeated = await runCommand(process.execPath, ["scripts/repeat.ts", room, ...chain], {
      env: { DATA_DIR: test.stack.dataDir },
      quiet: true,
    });
    assert.equal(repeated.code, 0, repeated.output);
  });

  it("shows an implementer's debt for a revoked certificate, and its changes", async () => {
    await visit("debts", "Debts for revoked certificates");
    await page.getByText("No implementer has a debt.").waitFor();
    const change = { status: "revoked", reason: "Measured wrongly" };
    const { status } = await test.stack.call("PATCH", `/v1/certificates/${ids.certificate}`, change);
    assert.equal(status, 200);
    // The page reads it once, so the debt must be in the index before.
    await sees(async () => {
      const query = `{ implementerDebts(where: { kind: "revocation" }) { totalCount } }`;
      const { body } = await test.stack.call("POST", "/graphql", { query });
      return (body.data as { implementerDebts: { totalCount: number } }).implementerDebts.totalCount > 0;
    }, true);
    await reload("debts", "Debts for revoked certificates");
    await page.getByRole("table", { name: "Debts for revoked certificates" }).getByText("did:ixo:").waitFor();
    const changes = page.getByRole("table", { name: "Changes" });
    await changes.getByText("Certificate revoked").waitFor();
    await changes.getByRole("link", { name: ids.certificate }).first().waitFor();
    await assertAccessible(page);
    await screenshot(page, "debts-desktop");
  });

  const downloadedCsv = async () => {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download as CSV" }).click(),
    ]);
    return { name: download.suggestedFilename(), text: (await readFile(await download.path())).toString() };
  };

  it("shows what happened to the CARBON of a revoked certificate, and downloads it as CSV", async () => {
    await visit("exceptions", "Exceptions");
    const row = page.getByRole("table", { name: "Exceptions" });
    await row.getByRole("link", { name: ids.certificate }).waitFor();
    await row.getByText("Measured wrongly").waitFor();
    await assertAccessible(page);
    await screenshot(page, "exceptions-desktop");
    const { name, text } = await downloadedCsv();
    assert.equal(name, "exceptions.csv");
    assert.match(text, new RegExp(`^${ids.certificate},revoked,Measured wrongly,`, "m"));
  });

  it("accounts for a Party's NDC, and labels its units for CORSIA, with CSV of both", async () => {
    const year = new Date().getUTCFullYear();
    const ask = async () => {
      await page.getByRole("combobox", { name: "Party" }).fill("ZMB");
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Show" }).click();
    };
    await visit("ndc", "NDC accounting");
    await ask();
    await page.getByText("No method is recorded for this Party and year").waitFor();
    await page.getByRole("row", { name: String(year) }).waitFor();
    await assertAccessible(page);
    const accounting = await downloadedCsv();
    assert.equal(accounting.name, `ndc-accounting-ZMB-${year}.csv`);
    assert.match(accounting.text, new RegExp(`^ZMB,,${year},`, "m"));

    await visit("corsia", "CORSIA labels");
    await ask();
    const units = page.getByRole("table", { name: "CORSIA labels" });
    await units.getByText("no decision about the registry is on record").first().waitFor();
    await assertAccessible(page);
    const labels = await downloadedCsv();
    assert.equal(labels.name, "corsia-ZMB.csv");
    assert.match(labels.text, /,first-phase,false,registry-recorded/);
  });

  it("shows what was taken away of an authorization, and what is left of each unit", async () => {
    const { body } = await test.stack.call("GET", "/v1/itmo/authorizations");
    const [authorization] = (body as { items: { authorizationId: string }[] }).items;
    const id = authorization?.authorizationId ?? "";
    await visit("itmos", "ITMOs");
    await page.getByRole("tab", { name: "Authorizations" }).click();
    await page.getByRole("button", { name: `Reduce or revoke ${id}` }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Revocation", { exact: true }).click();
    await dialog.getByLabel("Reason").fill("Letter of withdrawal");
    await screenshot(page, "revoke-authorization");
    await assertAccessible(page);
    await dialog.getByRole("button", { name: "Announce the revocation" }).click();
    await dialog.waitFor({ state: "hidden" });
    await sees(async () => {
      const query = "{ authorizationChanges { totalCount } }";
      const answer = await test.stack.call("POST", "/graphql", { query });
      return (answer.body.data as { authorizationChanges: { totalCount: number } }).authorizationChanges.totalCount;
    }, 1);
    await reload("itmos", "ITMOs");
    const blocks = page.getByRole("grid", { name: "Blocks" });
    await blocks.getByText("First transferred").first().waitFor();
    await blocks.getByText("Revoked").first().waitFor();
    await page.getByRole("tab", { name: "Authorizations" }).click();
    await page.getByRole("table", { name: "Authorizations" }).getByText("Revoked").waitFor();
    const changes = page.getByRole("table", { name: "Reductions, revocations and vetoes" });
    await changes.getByText("Letter of withdrawal").waitFor();
    await changes.getByText(id).waitFor();
    await assertAccessible(page);
    await screenshot(page, "authorizations-desktop");
    await page.getByRole("tab", { name: "Invalidation buffer" }).click();
    await page.getByText("The buffer holds nothing.", { exact: false }).waitFor();
    await page.getByText("Nothing was cancelled or released yet.").waitFor();
    await assertAccessible(page);
  });

  it("shows public data to a visitor on a phone, and asks for a key for other data", async () => {
    const visitor = await test.open("", { size: phone });
    await visitor.getByRole("button", { name: "Continue without a key" }).click();
    await visitor.getByRole("heading", { name: "Welcome" }).waitFor();
    await visitor.goto(`${test.stack.url}/console/regulator/campaigns/${ids.campaign}`);
    await visitor.getByText("Sign in with an API key.").waitFor();
    await visitor.goto(`${test.stack.url}/console/regulator/trace/${ids.block}`);
    await visitor.getByRole("button", { name: `ITMO block ${ids.block}` }).waitFor();
    await screenshot(visitor, "trace-phone");
    const beyond = await visitor.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(beyond <= 0, `the page is ${beyond} px wider than the phone`);
    await assertAccessible(visitor);
  });

  it("counts the redemptions by who acted for the household", async () => {
    await visit("redemptions", "Redemptions");
    const figures = page.getByRole("table", { name: "Who acted for the household" });
    await figures
      .getByRole("row", { name: /A supplier’s till/ })
      .first()
      .waitFor();
    await assertAccessible(page);
  });

  it("sets the CAD Trust server, shows what would be sent and why it would be refused, and publishes", async () => {
    const server = await startCadTrustPeer();
    const [, example = ""] = /^```json\n([\s\S]*?)^```/m.exec(await readFile("docs/registries.md", "utf8")) ?? [];
    const { profile } = JSON.parse(example.replace("did:key:z6Mk…", "did:example:verifier"));
    const save = async (projects: object, isDryRun: boolean) => {
      await page.getByRole("button", { name: "Settings" }).click();
      const dialog = page.getByRole("dialog", { name: "Server and projects" });
      await dialog.getByLabel("Address of the server").fill(server.url);
      await dialog.getByLabel("API key of the server").fill(peerApiKey);
      await page.locator('input[type="file"]').setInputFiles({
        name: "settings.json",
        mimeType: "application/json",
        buffer: Buffer.from(JSON.stringify({ profile: { ...profile, projects } })),
      });
      await dialog.getByText("Chosen: settings.json").waitFor();
      await dialog.getByLabel("Dry run: send nothing").setChecked(isDryRun);
      await assertAccessible(page);
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.waitFor({ state: "hidden" });
    };
    try {
      await visit("cad-trust", "CAD Trust");
      await page.getByText("The server is not set yet.").waitFor();
      await page.getByRole("button", { name: "Settings" }).click();
      const file = page.locator('input[type="file"]');
      for (const [content, says] of [
        ["null", "This file has no projects."],
        ["{", "This file is not JSON."],
        [JSON.stringify({ profile }), "Chosen: projects.json"],
      ] as const) {
        await file.setInputFiles({ name: "projects.json", mimeType: "application/json", buffer: Buffer.from(content) });
        await page.getByRole("dialog").getByText(says).waitFor();
        // A browser tells a page nothing when the file that an input has is chosen again.
        assert.equal(await file.inputValue(), "");
      }
      assert.equal(await page.getByRole("dialog").getByText("This file").count(), 0);
      await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
      await save([{ ...profile.projects[0], sectors: ["Moon"] }], true);
      await page.getByText("An API key is stored.").waitFor();
      await page.getByRole("button", { name: "Show what would be sent" }).click();
      await page.getByText("The server would refuse this, so nothing can be sent:").waitFor();
      await page.getByText('has no "Moon". The nearest is').waitFor();
      await page.getByRole("row", { name: "project/ACT-1 Create" }).waitFor();
      await assertAccessible(page);
      await screenshot(page, "cad-trust-plan-desktop");
      assert.ok(await page.getByRole("button", { name: "Publish" }).isDisabled());
      await save(profile.projects, false);
      await page.getByText("No problem was found.").waitFor();
      await page.getByRole("button", { name: "Publish" }).click();
      const confirm = page.getByRole("dialog", { name: "Publish to the registry" });
      await confirm.getByText(server.url).waitFor();
      await confirm.getByRole("row", { name: "project/ACT-1 Create" }).waitFor();
      await assertAccessible(page);
      await screenshot(page, "cad-trust-publish-desktop");
      assert.deepEqual(server.requests, []);
      await confirm.getByRole("button", { name: "Publish", exact: true }).click();
      await confirm.waitFor({ state: "hidden" });
      await page.getByText("Last publication").waitFor();
      await page.getByText(/^[1-9]\d* created, 0 edited, 0 removed$/).waitFor({ timeout: 60_000 });
      await page.getByRole("button", { name: "Show what would be sent" }).click();
      await page.getByText("Nothing: the server has everything.").waitFor({ timeout: 60_000 });
      await untilFound(() => server.rows("project").length === 1 || undefined);
    } finally {
      await server.close();
    }
  });
});

type End = { type: string; id: string };
type Link = { from: End; to: End; relation: string; transactionHash: string };
