import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import type { SpeechOptions } from "../../api/oracle/calls/agent/speech-api.ts";
import type { Agent } from "../../api/oracle/wire/turn.ts";
import { patience } from "../support/browser.ts";
import {
  echoAgent,
  newTestUser,
  openTestOracle,
  type TestOracle,
  type TestOracleOptions,
  type TestUser,
} from "../support/oracle/oracle.ts";
import { type BrowserShare, shareBrowser } from "../support/shared-browser.ts";
import type { PageCall, Received } from "./calls/main.ts";
import { type PageServer, servePage } from "./page-server.ts";

/** Two cameras with a moving picture, and microphones that beep. */
const fakeDevices = ["--use-fake-device-for-media-stream=device-count=2", "--autoplay-policy=no-user-gesture-required"];

/** Devices and permissions of the page's browser. */
export type TabOptions = {
  /** Permissions of the page; both devices when absent. */
  permissions?: string[];
  /** Runs in the page before the page's scripts. */
  before?: () => void;
  /** Called with the page before it is opened. */
  prepare?: (page: Page) => Promise<void>;
};

export type CallTab = {
  page: Page;
  state: () => Promise<ReturnType<Window["state"]>>;
  received: () => Promise<Received[]>;
  /** Wait until the tab's received media satisfy a condition. */
  receives: (holds: (received: Received[]) => boolean) => Promise<Received[]>;
  shows: (holds: (state: ReturnType<Window["state"]>) => boolean) => Promise<ReturnType<Window["state"]>>;
};

export type CallWorld = {
  readonly oracle: TestOracle;
  /** Replace the oracle's process by another one with the same data folder and another port. */
  restart: () => Promise<TestOracle>;
  user: TestUser;
  browser: BrowserShare;
  /** Open a tab that joins the session's call. */
  join: (sessionId: string, given?: Partial<PageCall>, options?: TabOptions) => Promise<CallTab>;
  close: () => Promise<void>;
};

/** Open a real runtime, and a real browser with pages that make calls. */
export async function openCallWorld({
  agent = echoAgent,
  speech,
  args = [],
  env = {},
  options = {},
}: {
  agent?: Agent;
  speech?: SpeechOptions | undefined;
  args?: string[];
  env?: Record<string, string>;
  options?: TestOracleOptions;
} = {}): Promise<CallWorld> {
  const given = { ...options, speech };
  let oracle = await openTestOracle(agent, env, given);
  const pages = await servePage("calls/main.ts");
  const browser = await shareBrowser([...fakeDevices, ...args]);
  const user = await newTestUser(oracle);
  const join: CallWorld["join"] = (sessionId, given = {}, tab = {}) =>
    joinAs({ browser, pages }, { ...of(oracle, user), sessionId, ...given }, tab);
  const close = async () => {
    await browser.close();
    await pages.close();
    await oracle.close();
  };
  const restart = async () => {
    await oracle.close();
    oracle = await openTestOracle(agent, env, given);
    return oracle;
  };
  return {
    get oracle() {
      return oracle;
    },
    restart,
    user,
    browser,
    join,
    close,
  };
}

const of = ({ url }: TestOracle, { did, invocation }: TestUser): Omit<PageCall, "sessionId"> => ({
  url,
  did,
  invocation,
  agent: false,
  media: { audio: true, video: { width: 320, height: 240 } },
});

type Place = { browser: BrowserShare; pages: PageServer };

async function joinAs({ browser, pages }: Place, given: PageCall, options: TabOptions): Promise<CallTab> {
  const { permissions = ["microphone", "camera"], before, prepare } = options;
  const context = await browser.newContext({ permissions });
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  if (before !== undefined) await page.addInitScript(before);
  await prepare?.(page);
  page.on("pageerror", (error) => console.error("page:", error));
  await page.goto(`${pages.url}/?calls`);
  await page.waitForFunction(() => window.begin !== undefined);
  await page.evaluate((call) => window.begin(call), given);
  const state = () => page.evaluate(() => window.state());
  const received = () => page.evaluate(() => window.received());
  return {
    page,
    state,
    received,
    receives: (holds) => until(received, holds),
    shows: (holds) => until(state, holds),
  };
}

async function until<T>(look: () => Promise<T>, holds: (seen: T) => boolean): Promise<T> {
  const end = Date.now() + patience;
  for (;;) {
    const seen = await look();
    if (holds(seen)) return seen;
    if (Date.now() > end) assert.fail(`It did not come: ${JSON.stringify(seen)}`);
    await sleep(100);
  }
}
