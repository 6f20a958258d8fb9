import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import { desktop, phone } from "../../test/browser/console.ts";
import type { Figure } from "../figures.ts";

export type FirstLoad = { name: string; path: string; size: typeof phone; isRegulator?: true };

export const firstLoads: FirstLoad[] = [
  { name: "signing in, phone", path: "", size: phone },
  { name: "home, phone", path: "", size: phone, isRegulator: true },
  { name: "vouchers, desktop", path: "/regulator/vouchers", size: desktop, isRegulator: true },
  { name: "trace, desktop", path: "/regulator/trace", size: desktop, isRegulator: true },
  { name: "redeem, phone", path: "/supplier/redeem", size: phone, isRegulator: true },
  { name: "campaigns, phone", path: "/implementer/campaigns", size: phone, isRegulator: true },
  { name: "files, desktop", path: "/files/browse", size: desktop, isRegulator: true },
  { name: "oracle, phone", path: "/chat", size: phone, isRegulator: true },
  { name: "people, desktop", path: "/admin/people", size: desktop, isRegulator: true },
];

/** Lighthouse's mid-range phone on slow 4G: its values for a throttled browser, in bytes a second. */
const network = { offline: false, latency: 562.5, downloadThroughput: 184_320, uploadThroughput: 84_375 };
const cpuRate = 4;
/** A page is loaded after this time without a task over 50 ms and without a request. */
const quietMs = 2_000;

type Told = Window & {
  told?: { lcp: number; largest: string; shift: number; tasks: { start: number; duration: number }[]; fcp: number };
};

function observe(): void {
  const told = { lcp: 0, largest: "", shift: 0, tasks: [] as { start: number; duration: number }[], fcp: 0 };
  (window as Told).told = told;
  const on = (type: string, hear: (entry: PerformanceEntry) => void) =>
    new PerformanceObserver((list) => list.getEntries().forEach(hear)).observe({ type, buffered: true });
  on("largest-contentful-paint", (entry) => {
    told.lcp = entry.startTime;
    told.largest = (entry as PerformanceEntry & { element?: Element }).element?.textContent?.slice(0, 60) ?? "";
  });
  on("paint", ({ name, startTime }) => {
    if (name === "first-contentful-paint") told.fcp = startTime;
  });
  on("layout-shift", (entry) => {
    const { value, hadRecentInput } = entry as PerformanceEntry & { value: number; hadRecentInput: boolean };
    if (!hadRecentInput) told.shift += value;
  });
  on("longtask", ({ startTime, duration }) => told.tasks.push({ start: startTime, duration }));
}

/** Load a page of the console with an empty cache, with a slow phone's processor and network. The page may have a session. */
export async function measureFirstLoad(page: Page, url: string, { name, path }: FirstLoad): Promise<Figure[]> {
  const session = await page.context().newCDPSession(page);
  const bytes = new Map<string, number>();
  const types = new Map<string, string>();
  session.on("Network.responseReceived", ({ requestId, type }) => types.set(requestId, type));
  let lastAnswer = Date.now();
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    lastAnswer = Date.now();
    const type = types.get(requestId) ?? "Other";
    bytes.set(type, (bytes.get(type) ?? 0) + encodedDataLength);
  });
  await session.send("Network.enable");
  await session.send("Network.clearBrowserCache");
  await session.send("Network.setBypassServiceWorker", { bypass: true });
  await session.send("Network.emulateNetworkConditions", network);
  await session.send("Emulation.setCPUThrottlingRate", { rate: cpuRate });
  await page.addInitScript(observe);
  await page.goto(`${url}/console${path}`);
  await page.locator("#root:not([inert]) h1").first().waitFor({ timeout: 60_000 });
  const works = await page.evaluate(() => performance.now());
  const scriptUntilItWorks = bytes.get("Script") ?? 0;
  // The oracle's page always waits for an answer, so its network is never idle.
  while (Date.now() - lastAnswer < quietMs) await sleep(100);
  await page.waitForFunction(
    (quiet) => {
      const last = (window as Told).told?.tasks.at(-1);
      return performance.now() - (last === undefined ? 0 : last.start + last.duration) > quiet;
    },
    quietMs,
    { timeout: 60_000 },
  );
  const told = (await page.evaluate(() => (window as Told).told)) as NonNullable<Told["told"]>;
  await session.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  await session.detach();
  const blocking = told.tasks
    .filter(({ start }) => start >= told.fcp)
    .reduce((sum, task) => sum + task.duration - 50, 0);
  const kilobytes = (type: string) => (bytes.get(type) ?? 0) / 1_000;
  const seconds = (milliseconds: number) => (milliseconds / 1_000).toFixed(2);
  console.log(
    `${name}: largest paint after ${seconds(told.lcp)} s, “${told.largest}”; works after ${seconds(works)} s`,
  );
  const figure = (what: string, value: number, unit: string): Figure => ({ name: `${name}: ${what}`, value, unit });
  return [
    figure("first contentful paint", told.fcp, "ms"),
    { ...figure("largest contentful paint", told.lcp, "ms"), aim: "≤ 2500 ms", met: told.lcp <= 2_500 },
    figure("works after", works, "ms"),
    figure("total blocking time", blocking, "ms"),
    figure("longest task", Math.max(0, ...told.tasks.map(({ duration }) => duration)), "ms"),
    { ...figure("layout shift", told.shift, ""), aim: "≤ 0.1", met: told.shift <= 0.1 },
    {
      ...figure("script transferred until it works", scriptUntilItWorks / 1_000, "kB"),
      aim: "≤ 200 kB",
      met: scriptUntilItWorks <= 200_000,
    },
    figure("script transferred", kilobytes("Script"), "kB"),
    figure("style transferred", kilobytes("Stylesheet"), "kB"),
    figure("fonts transferred", kilobytes("Font"), "kB"),
    figure("answers of the API transferred", kilobytes("Fetch"), "kB"),
  ];
}
