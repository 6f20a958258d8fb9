import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Browser, firefox } from "playwright-core";
import { patience } from "../browser.ts";

/** Where Debian, Ubuntu, Fedora and Mozilla put the program; FIREFOX names another. */
const places = [
  process.env.FIREFOX,
  "/usr/bin/firefox-esr",
  "/usr/bin/firefox",
  "/Applications/Firefox.app/Contents/MacOS/firefox",
];
const program = places.find((place) => place !== undefined && place !== "" && existsSync(place));

const howToGetOne =
  "The tests in Firefox need one: `apt-get install firefox-esr`, or name one with FIREFOX=/path/to/firefox.";

/** For `test(name, { skip: withoutFirefox() }, …)`: why a test in Firefox cannot run. */
export function withoutFirefox(): string | false {
  if (program !== undefined) return false;
  return howToGetOne;
}

/** Firefox without a window, on a new empty profile, driven by WebDriver BiDi. */
export async function openFirefox(): Promise<Browser> {
  if (program === undefined) throw new Error(howToGetOne);
  return await firefox.launch({
    channel: "moz-firefox",
    executablePath: join(import.meta.dirname, "run.sh"),
    headless: true,
    timeout: patience,
    env: { ...process.env, HEARTH_FIREFOX: program, HEARTH_NODE: process.execPath },
    // Playwright sets these for other browsers when a page asks for them.
    firefoxUserPrefs: { "ui.prefersReducedMotion": 1, "ui.systemUsesDarkTheme": 0 },
  });
}
