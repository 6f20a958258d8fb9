import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import type { CallAgents } from "../../api/oracle/calls/agent/call-agents.ts";
import { echoAgent, newTestUser, openTestOracle, type TestOracle, type TestUser } from "../../api/oracle/testing.ts";
import type { Agent } from "../../api/oracle/turn.ts";
import { openBrowser } from "../support/browser.ts";
import type { PageCall, Received } from "./calls/main.ts";
import { type PageServer, servePage } from "./page-server.ts";

/** A camera that shows a moving picture and a microphone that beeps; every page may use them. */
const fakeDevices = [
  "--use-fake-device-for-media-stream",
  "--use-fake-ui-for-media-stream",
  "--autoplay-policy=no-user-gesture-required",
];

export type CallTab = {
  page: Page;
  state: () => Promise<ReturnType<Window["state"]>>;
  received: () => Promise<Received[]>;
  /** Wait until what the tab receives is so. */
  receives: (holds: (received: Received[]) => boolean) => Promise<Received[]>;
  shows: (holds: (state: ReturnType<Window["state"]>) => boolean) => Promise<ReturnType<Window["state"]>>;
};

export type CallWorld = {
  oracle: TestOracle;
  user: TestUser;
  browser: Browser;
  /** A tab that takes part in the session's call. */
  join: (sessionId: string, given?: Partial<PageCall>) => Promise<CallTab>;
  close: () => Promise<void>;
};

/** A real runtime, and a real browser with pages that make calls. */
export async function openCallWorld({
  agent = echoAgent,
  callAgents,
  args = [],
}: {
  agent?: Agent;
  callAgents?: CallAgents;
  args?: string[];
} = {}): Promise<CallWorld> {
  const oracle = await openTestOracle(agent, {}, callAgents === undefined ? {} : { callAgents });
  const pages = await servePage("calls/main.ts");
  const browser = await openBrowser([...fakeDevices, ...args]);
  const user = await newTestUser(oracle);
  const join = (sessionId: string, given: Partial<PageCall> = {}) =>
    joinAs({ browser, pages }, { ...of(oracle, user), sessionId, ...given });
  const close = async () => {
    await browser.close();
    await pages.close();
    await oracle.close();
  };
  return { oracle, user, browser, join, close };
}

const of = ({ url }: TestOracle, { did, invocation }: TestUser): Omit<PageCall, "sessionId"> => ({
  ...{ url, did, invocation, agent: false },
  media: { audio: true, video: { width: 320, height: 240 } },
});

async function joinAs({ browser, pages }: { browser: Browser; pages: PageServer }, given: PageCall): Promise<CallTab> {
  const page = await browser.newPage();
  page.on("pageerror", (error) => console.error("page:", error));
  await page.goto(`${pages.url}/?calls`);
  await page.waitForFunction(() => window.begin !== undefined);
  await page.evaluate((call) => window.begin(call), given);
  const state = () => page.evaluate(() => window.state());
  const received = () => page.evaluate(() => window.received());
  return {
    ...{ page, state, received },
    receives: (holds) => until(received, holds),
    shows: (holds) => until(state, holds),
  };
}

async function until<T>(look: () => Promise<T>, holds: (seen: T) => boolean, ms = 20_000): Promise<T> {
  const end = Date.now() + ms;
  for (;;) {
    const seen = await look();
    if (holds(seen)) return seen;
    if (Date.now() > end) assert.fail(`It did not come: ${JSON.stringify(seen)}`);
    await sleep(100);
  }
}
