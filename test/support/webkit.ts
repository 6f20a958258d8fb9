import type { ChildProcess } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Builder, Capabilities, type WebDriver } from "selenium-webdriver";
import { endWatched, spawnWatched } from "../../scripts/parent-watchdog.ts";
import { patience } from "./browser.ts";
import { freePorts } from "./ports.ts";
import { atProcessEnd } from "./process-end.ts";

/** Where Debian, Ubuntu and Fedora put the programs. */
const [driver, screen] = ["/usr/bin/WebKitWebDriver", "/usr/bin/Xvfb"];
const browser = globSync(["/usr/lib/*/webkit2gtk-4.*/MiniBrowser", "/usr/libexec/webkit2gtk-4.*/MiniBrowser"]).at(-1);

const howToGetOne =
  "The tests in WebKit need WebKitGTK and a virtual screen: `apt-get install webkit2gtk-driver xvfb`.";

/** For `test(name, { skip: withoutWebKit() }, …)`: why a test in WebKit cannot run. */
export function withoutWebKit(): string | false {
  if (existsSync(driver) && existsSync(screen) && browser !== undefined) return false;
  return howToGetOne;
}

type Size = { width: number; height: number };

/** A WebKit with one window of this size and an empty profile, which `close` ends. */
export async function openWebKit(size: Size): Promise<{ driver: WebDriver; close: () => Promise<void> }> {
  if (browser === undefined) throw new Error(howToGetOne);
  const [port = 0] = await freePorts(1);
  const settings = await mkdtemp(join(tmpdir(), "hearth-webkit-"));
  // WebKit takes from this setting that people want no animations, each frame of which the processor draws.
  await mkdir(join(settings, "gtk-3.0"));
  await writeFile(join(settings, "gtk-3.0", "settings.ini"), "[Settings]\ngtk-enable-animations=0\n");
  const env = {
    ...process.env,
    DISPLAY: await virtualScreen(),
    GDK_BACKEND: "x11",
    GTK_THEME: "Adwaita",
    XDG_CONFIG_HOME: settings,
  };
  const program = spawnWatched(driver, [`--port=${port}`], { env, output: "pipe" });
  for (const stream of [program.stdout, program.stderr]) stream?.resume();
  const url = `http://127.0.0.1:${port}`;
  const end = async () => {
    await endWatched(program, 2_000);
    await rm(settings, { recursive: true });
  };
  try {
    await untilReady(url, program);
    // Without the window's bars, so that the page has the whole size.
    const args = ["--automation", "--full-screen"];
    const options = { browserName: "MiniBrowser", "webkitgtk:browserOptions": { binary: browser, args } };
    const session = await new Builder().usingServer(url).withCapabilities(new Capabilities(options)).build();
    await session.manage().setTimeouts({ script: patience, pageLoad: patience });
    await session
      .manage()
      .window()
      .setRect({ x: 0, y: 0, ...size });
    const close = async () => {
      await session.quit();
      await end();
    };
    return { driver: session, close };
  } catch (error) {
    await end();
    throw error;
  }
}

async function untilReady(url: string, program: ChildProcess): Promise<void> {
  for (const end = Date.now() + patience; Date.now() < end; await sleep(50)) {
    if (program.exitCode !== null) throw new Error(`${driver} ended with ${program.exitCode}.`);
    const answer = await fetch(`${url}/status`).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok) return;
  }
  throw new Error(`${driver} did not start.`);
}

let shown: Promise<string> | undefined;

/** Name of a screen that nobody sees, for all windows of this process. */
function virtualScreen(): Promise<string> {
  shown ??= new Promise((resolve, reject) => {
    // It chooses a free number, and prints it.
    const args = ["-displayfd", "1", "-screen", "0", "1600x1200x24", "-nolisten", "tcp"];
    const program = spawnWatched(screen, args, { output: "pipe" });
    atProcessEnd(() => endWatched(program, 2_000));
    program.once("exit", (code) => reject(new Error(`${screen} ended with ${code}.`)));
    program.stderr?.resume();
    program.stdout?.once("data", (number: Buffer) => resolve(`:${String(number).trim()}`));
  });
  return shown;
}
