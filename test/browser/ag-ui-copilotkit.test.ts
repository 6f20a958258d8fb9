import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import type { TurnContext } from "../../api/oracle/wire/turn.ts";
import { patience, withoutBrowser } from "../support/browser.ts";
import { newTestUser, openTestOracle, type TestOracle } from "../support/oracle/oracle.ts";
import { agentOf } from "../support/oracle/streams.ts";
import { type BrowserShare, shareBrowser } from "../support/shared-browser.ts";
import { type PageServer, servePage } from "./page-server.ts";

describe("a CopilotKit app over AG-UI", { skip: withoutBrowser() }, () => {
  const agent = agentOf(() => ({}));
  let oracle: TestOracle;
  let pages: PageServer;
  let browser: BrowserShare;
  before(async () => {
    oracle = await openTestOracle(agent);
    pages = await servePage("../copilotkit/main.tsx");
    browser = await shareBrowser();
  });
  after(async () => {
    await browser?.close();
    await pages?.close();
    await oracle?.close();
  });

  const problems: string[] = [];
  const open = async (): Promise<Page> => {
    const { headers } = await newTestUser(oracle);
    const context = await browser.newContext();
    const page = await context.newPage();
    page.setDefaultTimeout(patience);
    page.on("console", (message) => {
      // A warning of the app's library about the oracle's events is our fault.
      if (["error", "warning"].includes(message.type())) problems.push(message.text());
    });
    page.on("pageerror", (error) => problems.push(error.message));
    await page.addInitScript((fixture) => Object.assign(window, { fixture }), { url: oracle.url, headers });
    await page.goto(pages.url);
    await page.getByRole("textbox", { name: "Message" }).waitFor();
    return page;
  };
  const say = async (page: Page, text: string) => {
    await page.getByRole("textbox", { name: "Message" }).fill(text);
    await page.getByRole("button", { name: "Send" }).click();
  };
  const ready = (page: Page) => page.locator("main[data-running=false]").waitFor();

  it("shows the text, the reasoning's end and the tool calls of the oracle, over several turns", async () => {
    const histories: number[] = [];
    agent.turn = ({ emit, history, message }) => {
      histories.push(history.length);
      emit({ type: "reasoning", text: "Hm." });
      emit({ type: "text", delta: "Let me look. " });
      emit({ type: "tool", toolCallId: "1", toolName: "count_vouchers", args: {}, status: "isRunning" });
      emit({ type: "tool", toolCallId: "1", toolName: "count_vouchers", args: {}, status: "done", output: "42" });
      emit({ type: "text", delta: `42, as you asked: ${message}` });
      return {};
    };
    const page = await open();
    await say(page, "How many vouchers are active?");
    await page.getByText("42, as you asked: How many vouchers are active?").waitFor();
    await page.getByText("count_vouchers").waitFor();
    await ready(page);
    await say(page, "And now?");
    await page.getByText("42, as you asked: And now?").waitFor();
    await ready(page);
    assert.deepEqual(histories, [0, 2]);
    assert.equal(await page.locator("output").textContent(), "");
  });

  it("runs a tool of the page, and continues with its result", async () => {
    const results: TurnContext["frontendResults"][] = [];
    agent.turn = ({ emit, frontendResults }) => {
      results.push([...frontendResults]);
      if (frontendResults.length > 0) emit({ type: "text", delta: `Done: ${frontendResults[0]?.content}` });
      else
        emit({
          type: "tool",
          toolCallId: "call-colour",
          toolName: "set_colour",
          args: { colour: "green" },
          status: "isRunning",
        });
      return {};
    };
    const page = await open();
    await say(page, "Make it green.");
    await page.locator("main[data-colour=green]").waitFor();
    await page.getByText("Done: The page is green.").waitFor();
    await ready(page);
    assert.deepEqual(results.at(-1), [{ toolCallId: "call-colour", content: "The page is green." }]);
  });

  it("reports a failed turn, and nothing in the console of the page complains about our events", async () => {
    agent.turn = () => {
      throw new Error("secret detail");
    };
    const page = await open();
    const before = problems.length;
    await say(page, "Fail, please.");
    await ready(page);
    assert.ok(!problems.slice(before).join().includes("secret"));
    assert.deepEqual(problems.slice(0, before), []);
  });
});
