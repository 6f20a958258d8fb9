import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** Where Debian, Ubuntu, Fedora and Chrome's own packages put the program; CHROMIUM names another. */
const places = [
  process.env.CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
const program = places.find((place) => place !== undefined && place !== "" && existsSync(place));

const howToGetOne =
  "The tests in a browser need Chromium: `apt-get install chromium`, or name one with CHROMIUM=/path/to/chromium.";

/**
 * How long a test waits for what a page is to show, in milliseconds: far longer than it takes, as another stage may have the
 * processor. A test that holds never waits it out.
 */
export const patience = 60_000;

/** Without them Chromium looks for its maker's hosts, which a closed network refuses many times a second. */
const quiet = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/**
 * Chromium counts only the last `--disable-features`, so ours repeats Playwright's for Chromium. The address bar's two pop-ups are
 * pages that Chromium renders again for each window, although nobody sees them: half of the processor time of opening a page. For each
 * context it also starts a spare process, which a context of one site never uses.
 */
const unused = [
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "LensOverlay",
  "MediaRouter",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "OptimizationHints",
  "NetworkTimeServiceQuerying",
  "AimEnabled",
  "PreconnectToSearch",
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "SpareRendererForSitePerProcess",
];

/** For `test(name, { skip: withoutBrowser() }, …)`: why a test of a browser cannot run; on CI its lack is a failure. */
export function withoutBrowser(): string | false {
  if (program !== undefined) return false;
  if (process.env.CI === "true") throw new Error(howToGetOne);
  return howToGetOne;
}

/** Chromium without a window, on a new empty profile. `args` are added, such as those for fake cameras. */
export function openBrowser(args: readonly string[] = []): Promise<Browser> {
  if (program === undefined) throw new Error(howToGetOne);
  const features = `--disable-features=${unused.join(",")}`;
  return chromium.launch({
    executablePath: program,
    headless: true,
    timeout: patience,
    args: [...quiet, features, ...args],
  });
}
