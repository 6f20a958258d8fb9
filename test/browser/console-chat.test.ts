import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { withoutBrowser } from "../support/browser.ts";
import { assertAccessible, type ConsoleTest, phone, screenshot } from "./console.ts";
import { openSharedConsole } from "./shared-console.ts";
import { sees } from "./waiting.ts";

describe("the console's conversations", { skip: withoutBrowser() }, () => {
  let test: ConsoleTest;
  before(async () => {
    test = await openSharedConsole({ args: ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"] });
  });
  after(() => test?.close());

  it("streams answers, shows tools with their arguments, and restores all of it after a reload", async () => {
    const page = await openChat(test);
    await page.getByText("Start a conversation to ask a question.").waitFor();
    await assertAccessible(page);
    await newSession(page);
    await say(page, '/tool list_capabilities {"includeSilent":false}');
    const call = thread(page).getByRole("button", { name: /list_capabilities/ });
    await call.waitFor();
    await idle(page);
    await call.click();
    await page.getByText('"includeSilent": false').waitFor();
    await screenshot(page, "chat-tool-desktop");
    await assertAccessible(page);
    await page.reload();
    await thread(page)
      .getByRole("button", { name: /list_capabilities/ })
      .waitFor();
    assert.match(page.url(), /session=/);
  });

  it("draws tables, charts, vouchers and traces, and reports what it cannot read", async () => {
    const page = await openChat(test, phone);
    await newSession(page);
    await say(page, '/tool load_capability {"names":["agui"]}');
    await idle(page);
    const shown = {
      table: { title: "Stoves", columns: ["Region", "Count"], rows: [["Lusaka", 12], { Region: "Ndola", Count: 7 }] },
      chart: {
        title: "Saved",
        series: ["kg"],
        points: [
          { label: "May", values: [3] },
          { label: "June", values: [5.5] },
        ],
      },
      voucher_card: { voucherId: "7", status: "active", remainingBalance: "9007199254.740991", value: "9007199255" },
      trace: {
        title: "Path",
        steps: [
          { kind: "certificate", id: "C-1" },
          { kind: "voucher", id: 4, amount: "12.5" },
        ],
      },
    };
    for (const [componentName, args] of Object.entries(shown)) {
      await say(page, `/tool render_component ${JSON.stringify({ componentName, args })}`);
      await idle(page);
    }
    await page.getByRole("table", { name: "Stoves" }).getByRole("cell", { name: "Ndola" }).waitFor();
    await page.getByRole("table", { name: "Saved" }).getByRole("cell", { name: "5.5" }).waitFor({ state: "attached" });
    await page.getByText("9,007,199,254.740991").waitFor();
    await page.getByText("certificate", { exact: true }).waitFor();
    await screenshot(page, "chat-components-phone");
    await assertAccessible(page);
    await say(page, '/tool render_component {"componentName":"table","args":{"columns":"none"}}');
    await page.getByText("The oracle sent something that this page cannot show.").waitFor();
  });

  it("lets the oracle open a page of the console in the user's tab", async () => {
    const page = await openChat(test);
    await newSession(page);
    await say(page, '/tool load_capability {"names":["portal"]}');
    await idle(page);
    await say(page, '/tool open_console_page {"path":"/no/such/page"}');
    await idle(page);
    await thread(page)
      .getByRole("button", { name: /open_console_page.*failed/ })
      .waitFor();
    await say(page, '/tool open_console_page {"path":"/files/keys"}');
    await page.getByRole("heading", { name: "Key and tokens" }).waitFor();

    // The conversation continues in the panel, on all pages and after reloads.
    const panel = page.getByRole("complementary", { name: "Oracle" });
    await panel.getByText('/tool open_console_page {"path":"/no/such/page"}').waitFor();
    await idle(page);
    await writeFile(page, "/seen.txt", "s");
    await say(page, '/tool open_console_page {"path":"/files/activity"}');
    await page.getByRole("heading", { name: "Activity" }).waitFor();
    await idle(page);
    await page.reload();
    await page.getByRole("table", { name: "Activity" }).getByText("Created").waitFor();
    await say(page, "/tool read_shown_tables {}");
    await idle(page);
    await panel.getByRole("button", { name: /read_shown_tables.*done/ }).click();
    const read = panel.getByText('"heading": "Activity"');
    await read.waitFor();
    const said = JSON.parse((await read.textContent()) ?? "") as { tables: { label: string; rows: string[][] }[] };
    assert.deepEqual(
      said.tables.map(({ label }) => label),
      ["Activity"],
    );
    assert.ok(
      said.tables[0]?.rows.some((cells) => cells.includes("Created")),
      JSON.stringify(said),
    );
    await screenshot(page, "chat-panel-desktop");
    await assertAccessible(page);
    await page.setViewportSize(phone);
    await composer(page).waitFor();
    await screenshot(page, "chat-panel-phone");
    await assertAccessible(page);
    await panel.getByRole("button", { name: "Close the oracle" }).click();
    await composer(page).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Open the oracle next to this page" }).click();
    await panel.getByRole("button", { name: /read_shown_tables.*done/ }).waitFor();
    await panel.getByRole("link", { name: "Open as a full page" }).click();
    await panel.waitFor({ state: "hidden" });
    await thread(page)
      .getByRole("button", { name: /read_shown_tables.*done/ })
      .waitFor();
  });

  it("asks for confirmation with the literal arguments before it deletes, and respects a refusal", async () => {
    const page = await openChat(test);
    await writeFile(page, "/plans/secret.txt", "do not lose me");
    await page.getByRole("link", { name: "Conversations" }).click();
    await newSession(page);
    await say(page, '/tool vfs_delete {"path":"/plans/secret.txt"}');
    const dialog = page.getByRole("dialog", { name: "The oracle asks for your confirmation" });
    await dialog.getByText('"path": "/plans/secret.txt"').waitFor();
    await dialog.getByText("Move the file /plans/secret.txt to the trash.").waitFor();
    await screenshot(page, "chat-confirm-desktop");
    await assertAccessible(page);
    await dialog.getByRole("button", { name: "Refuse" }).click();
    await idle(page);
    await say(page, '/tool vfs_read {"path":"/plans/secret.txt"}');
    await idle(page);
    await thread(page)
      .getByRole("button", { name: /vfs_read.*done/ })
      .click();
    await page.getByText("do not lose me").first().waitFor();
    await say(page, '/tool vfs_delete {"path":"/plans/secret.txt"}');
    await dialog.getByRole("button", { name: "Allow this call" }).click();
    await idle(page);
    await page.getByRole("link", { name: "Trash" }).click();
    await page.getByRole("cell", { name: "/plans/secret.txt" }).waitFor();
  });

  it("closes a question when its turn is stopped elsewhere", async () => {
    const page = await openChat(test);
    await newSession(page);
    const { headers, url } = await requestOf(page, () => say(page, '/tool vfs_delete {"path":"/x.txt"}'));
    const dialog = page.getByRole("dialog", { name: "The oracle asks for your confirmation" });
    await dialog.waitFor();
    const { authorization = "" } = headers;
    const sessionId = decodeURIComponent(new URL(url).pathname.split("/").at(-1) ?? "");
    const stopped = await fetch(`${new URL(url).origin}/messages/abort`, {
      method: "POST",
      headers: { authorization, "x-auth-type": "ucan", "content-type": "application/json" },
      body: JSON.stringify({ sessionId }),
    });
    assert.deepEqual(await stopped.json(), { success: true });
    await dialog.waitFor({ state: "hidden" });
    await idle(page);
  });

  it("attaches the user's files, keeps a draft over a reload, shows preferences, and deletes a conversation", async () => {
    const page = await openChat(test);
    await writeFile(page, "/note.txt", "Stoves save fuel.");
    await page.getByRole("link", { name: "Conversations" }).click();
    await newSession(page);
    await page.getByRole("button", { name: "Attach a file" }).click();
    await page.getByLabel("Path of the file").fill("/none.txt");
    await page.getByRole("button", { name: "Attach", exact: true }).click();
    await page.getByText("There is no file /none.txt.").waitFor();
    await page.getByLabel("Path of the file").fill("/note.txt");
    await page.getByRole("button", { name: "Attach", exact: true }).click();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await say(page, "What does it say?");
    await idle(page);
    await page.getByRole("article").getByText("note.txt").waitFor();

    await say(page, '/tool set_user_preferences {"tone":"friendly","userName":"Mwila"}');
    await idle(page);
    await page.getByRole("button", { name: "Preferences", exact: true }).click();
    await page.getByRole("cell", { name: "Mwila" }).waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();

    await composer(page).fill("half a thought");
    await page.reload();
    await composer(page).waitFor();
    await sees(() => composer(page).inputValue(), "half a thought");

    await page.getByRole("button", { name: /^Delete / }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("Start a conversation to ask a question.").waitFor();
  });

  it("calls the oracle, which says what it can hear, and leaves the call", async () => {
    const page = await openChat(test);
    await newSession(page);
    await page.getByRole("button", { name: "Call", exact: true }).click();
    const panel = page.getByRole("region", { name: "Call", exact: true });
    await panel.getByRole("button", { name: "Join the call" }).click();
    await panel.getByText("In the call").waitFor();
    await panel.getByText("The oracle cannot hear").waitFor();
    await panel.getByText(/all of you see this number: (\d{5} ){11}\d{5}/).waitFor();
    await panel.getByRole("button", { name: "Camera on" }).click();
    await panel.getByLabel("You").waitFor();
    await screenshot(page, "chat-call-desktop");
    await assertAccessible(page);
    await panel.getByRole("button", { name: "Mute", exact: true }).click();
    await panel.getByRole("button", { name: "Unmute" }).waitFor();
    await panel.getByRole("button", { name: "Leave" }).click();
    await panel.waitFor({ state: "hidden" });
  });

  it("speaks French on a phone", async () => {
    const page = await test.open("/chat", { size: phone, locale: "fr-FR" });
    await page.getByRole("button", { name: "Continuer sans clé" }).click();
    await page.getByRole("button", { name: "Nouvelle conversation" }).click();
    await page.getByText("Posez une question pour commencer.").waitFor();
    await page.getByText("Connecté", { exact: true }).waitFor();
    await screenshot(page, "chat-phone-fr");
    await assertAccessible(page);
  });
});

async function openChat(test: ConsoleTest, size?: { width: number; height: number }): Promise<Page> {
  const page = await test.open("/chat", size === undefined ? {} : { size });
  await page.getByRole("button", { name: "Continue without a key" }).click();
  await page.getByRole("button", { name: "New conversation" }).waitFor();
  return page;
}

const thread = (page: Page) => page.getByRole("region", { name: "Conversation", exact: true });
const composer = (page: Page) => page.getByRole("textbox", { name: "Message to the oracle" });

async function newSession(page: Page): Promise<void> {
  await page.getByRole("button", { name: "New conversation" }).click();
  await page.getByText("Ask a question to begin.").waitFor();
  await page.getByText("Connected", { exact: true }).waitFor();
}

async function say(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await composer(page).press("Enter");
  await page
    .getByRole("button", { name: "Stop" })
    .or(page.getByText(text, { exact: true }).last())
    .first()
    .waitFor();
}

async function idle(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Send" }).waitFor();
  await page
    .getByRole("region", { name: "Conversation", exact: true })
    .and(page.locator("[aria-busy=false]"))
    .waitFor();
}

/** The request of the message that `act` sends. */
async function requestOf(page: Page, act: () => Promise<void>) {
  const sent = page.waitForRequest(
    (request) => request.method() === "POST" && /\/messages\/[^/]+$/.test(request.url()),
  );
  await act();
  const request = await sent;
  return { headers: await request.allHeaders(), url: request.url() };
}

/** Write a file through the pages of files, with the same key. */
async function writeFile(page: Page, path: string, text: string): Promise<void> {
  await page.getByRole("link", { name: "Files", exact: true }).click();
  await page.getByRole("button", { name: "New text file" }).click();
  await page.getByLabel("Path").fill(path);
  await page.getByLabel("Text", { exact: true }).fill(text);
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { level: 2, name: path.slice(path.lastIndexOf("/") + 1) }).waitFor();
}
