import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Page, Request } from "playwright-core";
import { patience } from "../support/browser.ts";
import type { WalkPage } from "./walk-page.ts";

/** Repeat a check until it gives the expected value; fails with the last value. */
export async function sees<T>(look: () => Promise<T>, expected: T): Promise<void> {
  for (const end = Date.now() + patience; ; await sleep(50)) {
    const seen = await look();
    if (isDeepStrictEqual(seen, expected) || Date.now() > end) return assert.deepEqual(seen, expected);
  }
}

/** Requests that stay open as long as the page, so they do not show whether it is loading. */
const staysOpen = /\/(socket\.io|runs|messages)\//;

/** Requests of each page without a response. */
const pending = new WeakMap<object, Set<Request>>();

/** Record the page's requests from now on. */
export function followRequests(page: Page): void {
  const open = new Set<Request>();
  pending.set(page, open);
  page.on("request", (request) => {
    if (!staysOpen.test(request.url())) open.add(request);
  });
  // Not "requestfinished": browsers do not fire it when nobody reads the body.
  page.on("response", (response) => open.delete(response.request()));
  page.on("requestfailed", (request) => open.delete(request));
}

/** Wait until the page is fully loaded: no request is pending, and nothing loads, renders or fades. */
export async function atRest(page: Pick<WalkPage, "evaluate" | "url">): Promise<void> {
  for (const end = Date.now() + patience; ; await sleep(50)) {
    const answered = [...(pending.get(page) ?? [])];
    const busy = answered.length === 0 ? await page.evaluate(untilStill) : answered[0]?.url();
    // It may have sent further requests while it was still.
    if (busy === undefined && (pending.get(page)?.size ?? 0) === 0) return;
    if (Date.now() > end)
      assert.fail(`${await page.url()} does not come to rest: ${busy ?? "it asks again and again"}`);
  }
}

/** Runs in the page: resolves when nothing has changed for a while, or after a time limit with what still changes. */
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
