import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Page, Request } from "playwright-core";
import { patience } from "../support/browser.ts";

/** Look again and again until it is as expected; fails with what was seen last. */
export async function sees<T>(look: () => Promise<T>, expected: T): Promise<void> {
  for (const end = Date.now() + patience; ; await sleep(50)) {
    const seen = await look();
    if (isDeepStrictEqual(seen, expected) || Date.now() > end) return assert.deepEqual(seen, expected);
  }
}

/** What is open as long as a page is: it says nothing of what the page still lacks. */
const staysOpen = /\/(socket\.io|runs|messages)\//;

/** Requests of pages that have no answer yet. */
const pending = new WeakMap<Page, Set<Request>>();

/** Know from now on what the page has asked for. */
export function followRequests(page: Page): void {
  const open = new Set<Request>();
  pending.set(page, open);
  page.on("request", (request) => {
    if (!staysOpen.test(request.url())) open.add(request);
  });
  // Not its end: of an answer whose body nobody reads, a browser never tells that.
  page.on("response", (response) => open.delete(response.request()));
  page.on("requestfailed", (request) => open.delete(request));
}

/** Wait until the page shows what it has to show: nothing is asked for, loaded, drawn anew or on the way to another colour. */
export async function atRest(page: Page): Promise<void> {
  for (const end = Date.now() + patience; ; await sleep(50)) {
    const answered = [...(pending.get(page) ?? [])];
    const busy = answered.length === 0 ? await page.evaluate(untilStill) : answered[0]?.url();
    // While it was still, it may have asked for more.
    if (busy === undefined && (pending.get(page)?.size ?? 0) === 0) return;
    if (Date.now() > end) assert.fail(`${page.url()} does not come to rest: ${busy ?? "it asks again and again"}`);
  }
}

/** Runs in the page: answers when nothing changed for a while, or with what is still at work after some time. */
function untilStill(): Promise<string | undefined> {
  const [still, most] = [150, 5_000];
  const atWork = () => {
    if (document.querySelector("#content [role=status] .mantine-Loader-root") !== null) return "it loads";
    const moving = document
      .getAnimations()
      .find(({ playState, effect }) => playState === "running" && effect?.getComputedTiming().endTime !== Infinity);
    return moving === undefined ? undefined : "it moves";
  };
  return new Promise((resolve) => {
    const begun = performance.now();
    let timer: ReturnType<typeof setTimeout>;
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(look, still);
    };
    const observer = new MutationObserver(wait);
    const look = () => {
      const busy = atWork();
      if (busy !== undefined && performance.now() - begun < most) return wait();
      observer.disconnect();
      resolve(busy);
    };
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    wait();
  });
}
