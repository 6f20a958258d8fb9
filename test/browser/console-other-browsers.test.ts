import { after, afterEach, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { openFirefox, withoutFirefox } from "../support/firefox/firefox.ts";
import type { Stack } from "../support/stack.ts";
import { openWebKit, withoutWebKit } from "../support/webkit.ts";
import {
  walkInOtherLanguage,
  walkOffline,
  walkThroughFiles,
  walkThroughPages,
  walkWithDeviceKey,
} from "./browser-walks.ts";
import { consoleOn, desktop, type PageOptions, phone, startConsoleSystem } from "./console.ts";
import {
  readDemo,
  saveAsXlsx,
  type Walk,
  walkAsFieldTeam,
  walkAsRegulator,
  walkAsSupplier,
  walkToOracle,
} from "./first-walks.ts";
import { type Link, openLink } from "./link.ts";
import { tellTheStory } from "./story.ts";
import { textsIn } from "./texts-in.ts";
import { webDriverPage } from "./webdriver/page.ts";

/** Opens pages of the console, which `close` closes. */
type Pages = Walk["test"] & { close: () => Promise<void> };
type OpenedBrowser = { on: (stack: Stack, url: string) => Pages; close: () => Promise<void> };

async function openFirefoxPages(): Promise<OpenedBrowser> {
  const browser = await openFirefox();
  return { on: (stack, url) => consoleOn(stack, browser, url), close: () => browser.close() };
}

/** Each page of WebKit has a browser to itself, because a WebDriver session has one profile. */
async function openWebKitPages(): Promise<OpenedBrowser> {
  const on: OpenedBrowser["on"] = (_, url) => {
    const opened: { close: () => Promise<void> }[] = [];
    const open = async (path = "", { size = desktop }: PageOptions = {}) => {
      const browser = await openWebKit(size);
      opened.push(browser);
      const page = webDriverPage(browser.driver, size);
      await page.goto(`${url}/console${path}`);
      return page;
    };
    const close = async () => {
      for (const browser of opened.splice(0)) await browser.close();
    };
    return { open, close };
  };
  return { on, close: async () => {} };
}

/** What Firefox logs when a page is loaded again without a network. */
const withoutNetwork = /NetworkError|NS_ERROR|can.t establish a connection|Cross-Origin Request Blocked/;

const browsers = [
  { name: "Firefox", skip: withoutFirefox(), openPages: openFirefoxPages },
  { name: "WebKit", skip: withoutWebKit(), openPages: openWebKitPages },
];
const isLeftOut = browsers.every(({ skip }) => skip !== false) && browsers.map(({ skip }) => skip).join(" ");

describe("the console in other browsers:", { skip: isLeftOut }, () => {
  let stack: Stack;
  let link: Link;
  let output: string;
  before(async () => {
    // Proofs of keys name the link's address, so the system has to know it.
    link = await openLink("http://127.0.0.1:1");
    stack = await startConsoleSystem({ PUBLIC_URL_ALIASES: link.url });
    link.mend(stack.url);
    ({ output } = await tellTheStory(stack));
  });
  after(async () => {
    await link?.close();
    await stack?.remove();
  });

  for (const { name, skip, openPages } of browsers) {
    describe(name, { skip }, () => {
      let browser: OpenedBrowser;
      let pages: Pages | undefined;
      before(async () => {
        browser = await openPages();
      });
      afterEach(async () => {
        await pages?.close();
        pages = undefined;
      });
      after(() => browser?.close());

      /** A walk of a person in this role, with a new link. */
      const walk = async (role: string, options: PageOptions, url = stack.url): Promise<Walk> => {
        pages = browser.on(stack, url);
        const demo = readDemo(output);
        demo.links.set(role, await invite(stack, role));
        const size = options.size === phone ? "phone" : "desktop";
        return { test: pages, demo, options, text: textsIn("en"), name: `${name.toLowerCase()}-${role}-${size}` };
      };

      it("makes a key that cannot be read, and stays signed in", async () =>
        walkWithDeviceKey(await walk("evaluator", { size: desktop })));

      it("shows an implementer's pages on a desktop", async () =>
        walkThroughPages(await walk("implementer", { size: desktop })));

      it("shows an implementer's pages on a phone", async () =>
        walkThroughPages(await walk("implementer", { size: phone })));

      it("shows a regulator the figures, a search, a trace and the vouchers", async () => {
        const { page } = await walkAsRegulator(await walk("regulator", { size: desktop }));
        if (name === "Firefox") await saveAsXlsx(page as Page, textsIn("en"));
      });

      it("redeems a voucher at the till", async () => walkAsSupplier(await walk("supplier", { size: phone })));

      it("takes a field team's measurement", async () => walkAsFieldTeam(await walk("implementer", { size: phone })));

      it("asks the oracle, on a desktop", async () => walkToOracle(await walk("evaluator", { size: desktop })));

      it("asks the oracle, on a phone", async () => walkToOracle(await walk("evaluator", { size: phone })));

      it("uploads files, shows them and opens a shared one", async () =>
        walkThroughFiles(await walk("visitor", { size: desktop })));

      it("changes its language, and remembers it", async () =>
        walkInOtherLanguage(await walk("evaluator", { size: desktop })));

      it("opens the till without a network", async () =>
        walkOffline(await walk("supplier", { size: phone, expected: withoutNetwork }, link.url), link));
    });
  }
});

/** Make a link for another person in the role of one of the demo; a visitor needs none. */
async function invite(stack: Stack, role: string): Promise<string> {
  if (role === "visitor") return "";
  const first = async (list: string) => {
    const { body } = await stack.call("GET", `/v1/${list}`);
    return String((body.items as { did: string }[])[0]?.did);
  };
  const key = {
    role,
    name: "Walks in another browser",
    ...(role === "supplier" ? { supplierDid: await first("suppliers") } : {}),
    ...(role === "implementer" ? { implementerDid: await first("implementers") } : {}),
  };
  const { body } = await stack.call("POST", "/v1/invitations", { key, validMinutes: 60 });
  return String(body.url);
}
