import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { runCommand } from "../../scripts/run-command.ts";
import { openBrowser, patience } from "../support/browser.ts";
import { type Stack, stackAdminKey } from "../support/stack.ts";
import { startStackFromTemplate } from "../support/stack-template.ts";
import { findViolations } from "./axe.ts";
import { atRest, followRequests } from "./waiting.ts";
import type { WalkPage } from "./walk-page.ts";

export const desktop = { width: 1280, height: 800 };
export const phone = { width: 390, height: 844 };

export type PageOptions = {
  /** Default: desktop. */
  size?: { width: number; height: number };
  colorScheme?: "light" | "dark";
  /** Default: reduce, as each frame of an animation is drawn by the processor. */
  reducedMotion?: "reduce" | "no-preference";
  locale?: string;
  permissions?: string[];
  /** Errors that the test causes on purpose, such as those of a lost network. */
  expected?: RegExp;
};

/** The whole system, and a browser for its console. */
export type ConsoleTest = {
  stack: Stack;
  browser: Browser;
  /** Open a page in a new profile; `close` fails when it logs an error or fails to load one of our files. */
  open: (path?: string, options?: PageOptions) => Promise<Page>;
  /** Close the pages opened so far, for a test's end: each open page continues asking the API and drawing. */
  closePages: () => Promise<void>;
  close: () => Promise<void>;
};

/**
 * Errors that any page may log: responses of 400 and above are shown to the user, and Chromium logs each. It also logs that it asks nobody
 * before a page with unsent work closes on which nobody has clicked yet, which only a test does.
 */
const expected =
  /Failed to load resource: the server responded with a status of 4\d\d|Blocked attempt to show a 'beforeunload' confirmation panel/;

/** Build the console if it is outdated, and start the system with these variables. */
export async function startConsoleSystem(env?: Record<string, string>): Promise<Stack> {
  const built = await runCommand(process.execPath, ["scripts/build-console.ts"], { atOnce: true });
  assert.equal(built.code, 0, built.output);
  return await startStackFromTemplate(env === undefined ? {} : { env });
}

/** Start the system and open a browser, which end with `close`. */
export async function openConsole(): Promise<ConsoleTest> {
  const stack = await startConsoleSystem();
  const browser = await openBrowser();
  const pages = consoleOn(stack, browser);
  const close = async () => {
    try {
      await pages.close();
    } finally {
      await browser.close();
      await stack.remove();
    }
  };
  return { ...pages, close };
}

/** The console of a running system in an open browser. `close` closes the pages only. `url` is another way to the system. */
export function consoleOn(stack: Stack, browser: Browser, url = stack.url): ConsoleTest {
  const contexts: BrowserContext[] = [];
  const problems: string[] = [];
  const open = async (path = "", { size = desktop, expected: own, ...page }: PageOptions = {}) => {
    const device = { viewport: size, hasTouch: size === phone };
    const context = await browser.newContext({
      ...device,
      locale: "en-GB",
      colorScheme: "light",
      reducedMotion: "reduce",
      ...page,
    });
    context.setDefaultTimeout(patience);
    contexts.push(context);
    context.on("page", waitForConsole);
    const opened = await context.newPage();
    followRequests(opened);
    opened.on("pageerror", (error) => problems.push(`${opened.url()}: ${error.stack ?? error.message}`));
    opened.on("console", (message) => {
      if (message.type() === "error" && !expected.test(message.text()) && own?.test(message.text()) !== true)
        problems.push(`${opened.url()}: ${message.text()} (${message.location().url})`);
    });
    await opened.goto(`${url}/console${path}`);
    return opened;
  };
  const closePages = async () => {
    for (const context of contexts.splice(0)) await context.close();
  };
  const close = async () => {
    await closePages();
    assert.deepEqual(problems, []);
  };
  return { stack, browser, open, closePages, close };
}

/**
 * Make a page wait, after it was opened or loaded again, until the console works: before that it shows what was made at build time, such
 * as empty fields. With `waitUntil`, a test looks at exactly that.
 */
function waitForConsole(page: Page): void {
  const goto = page.goto.bind(page);
  const reload = page.reload.bind(page);
  const untilItWorks = async () => {
    if (new URL(page.url()).pathname.startsWith("/console"))
      await page.locator("#root:not([inert])").waitFor({ state: "attached" });
  };
  page.goto = async (url, options) => {
    const answer = await goto(url, options);
    if (options?.waitUntil === undefined) await untilItWorks();
    return answer;
  };
  page.reload = async (options) => {
    const answer = await reload(options);
    if (options?.waitUntil === undefined) await untilItWorks();
    return answer;
  };
}

/** Sign in with an API key; default: the admin's. */
export async function signIn(page: Page, key: string = stackAdminKey): Promise<void> {
  await page.locator("input[type=password]").fill(key);
  await page.locator("button[type=submit]").click();
  await page
    .getByRole("navigation")
    .or(page.getByRole("button", { name: "Menu" }))
    .first()
    .waitFor();
}

/** Go to another path of the console without a reload, since an admin's key would be lost. Resolves when that page is shown. */
export async function goTo(page: Page, path: string): Promise<void> {
  const target = `/console${path}`;
  if (new URL(page.url()).pathname.replace(/\/$/, "") === target.replace(/\/$/, "")) return;
  await page.evaluate((to) => {
    for (const each of document.querySelectorAll("#content h1")) each.setAttribute("data-left", "");
    window.history.pushState({}, "", to);
  }, target);
  await page.locator("#content h1:not([data-left])").waitFor();
}

const guidelines = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** The rules about colours, the only ones that can differ between the two themes of a page. */
const rulesOfColour = ["color-contrast", "link-in-text-block"];

/** Assert that the page has no violation of WCAG 2.2 A and AA, in the light and in the dark theme. */
export async function assertAccessible(page: Page): Promise<void> {
  // Pages are loaded when they are first shown; below an open dialog they are hidden but attached.
  await page.locator("h1").first().waitFor({ state: "attached" });
  for (const scheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    await page.locator(`html[data-mantine-color-scheme=${scheme}]`).waitFor({ state: "attached" });
    // Colours fade when the theme changes.
    await atRest(page);
    await assertNoViolation(page, scheme, scheme === "dark" ? rulesOfColour : undefined);
  }
}

/** Assert that the page has no violation of WCAG 2.2 A and AA, or of the given rules only. */
export async function assertNoViolation(page: Page, shown = "", rules?: string[]): Promise<void> {
  const told = await findViolations(page, rules ?? guidelines, rules === undefined ? "tag" : "rule");
  assert.deepEqual(told, [], `${page.url()} (${shown})`);
}

/** Save a screenshot in the folder SCREENSHOTS; do nothing without it. */
export async function screenshot(page: Pick<WalkPage, "screenshot">, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder === undefined || folder === "") return;
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
