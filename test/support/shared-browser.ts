import type { Browser, BrowserContext } from "playwright-core";
import { openBrowser } from "./browser.ts";
import { atProcessEnd } from "./process-end.ts";

const browsers = new Map<string, Promise<Browser>>();

/**
 * A Chromium that the files of one process share, by its arguments: starting one takes as long as opening some pages. A file opens
 * its pages in new contexts, which share nothing, and closes those.
 */
export async function sharedBrowser(args: readonly string[] = []): Promise<Browser> {
  const key = args.join(" ");
  const known = await browsers.get(key);
  if (known?.isConnected()) return known;
  const opening = openBrowser(args);
  browsers.set(key, opening);
  const browser = await opening;
  atProcessEnd(() => browser.close());
  return browser;
}

/** Profiles of a shared browser, which `close` closes; it stays open for other files. */
export type BrowserShare = Pick<Browser, "newContext"> & { close: () => Promise<void> };

export async function shareBrowser(args: readonly string[] = []): Promise<BrowserShare> {
  const browser = await sharedBrowser(args);
  const contexts: BrowserContext[] = [];
  const newContext: Browser["newContext"] = async (options) => {
    const context = await browser.newContext(options);
    contexts.push(context);
    return context;
  };
  const close = async () => {
    for (const context of contexts) await context.close();
  };
  return { newContext, close };
}
