import assert from "node:assert/strict";
import type { BrowserContext, Page } from "playwright-core";
import type { Fixture, Seen } from "../../sdk/test/app/fixture.ts";
import { patience } from "../support/browser.ts";

/** A tab with the SDK's test page. */
export type ChatPage = {
  page: Page;
  /** Type a message and send it. */
  say: (text: string) => Promise<void>;
  /** Wait for the end of the current answer. */
  settle: (status?: "ready" | "error") => Promise<void>;
  /** Wait until a message shows this text. */
  shows: (text: string) => Promise<void>;
  /** The visible thread: `human: …` and `ai: …`. */
  thread: () => Promise<string[]>;
  seen: () => Promise<Seen>;
  /** Errors logged or thrown by the page. */
  errors: string[];
};

/** Open the page, and wait for its socket and its history. */
export async function openChatPage(context: BrowserContext, url: string, fixture: Fixture): Promise<ChatPage> {
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (line) => {
    if (line.type() === "error") errors.push(line.text());
  });
  await page.addInitScript((given) => {
    window.fixture = given;
  }, fixture);
  await page.goto(url);
  const chat: ChatPage = {
    page,
    errors,
    say: async (text) => {
      await page.getByLabel("Message").fill(text);
      await page.getByRole("button", { name: "Send" }).click();
    },
    settle: async (status = "ready") => {
      await page.waitForSelector(`main[data-status=${status}]`);
    },
    shows: async (text) => {
      await page.locator("li", { hasText: text }).first().waitFor();
    },
    thread: () =>
      // An answer may hold lists, too.
      page.$$eval<string[], HTMLLIElement>("li[data-type]", (items) =>
        items.map((item) => `${item.dataset.type}: ${item.textContent?.trim() ?? ""}`),
      ),
    seen: () => page.evaluate(() => window.seen),
  };
  try {
    await page.waitForSelector("main[data-connected=true][data-loading=false]");
  } catch (error) {
    assert.fail(`The page did not connect: ${errors.join("; ") || String(error)}`);
  }
  return chat;
}
