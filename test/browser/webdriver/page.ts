import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { By, error, Key, type WebDriver, type WebElement } from "selenium-webdriver";
import { patience } from "../../support/browser.ts";
import type { Found, WalkPage } from "../walk-page.ts";
import type { Step, Wanted } from "./find.ts";

let finder: Promise<string> | undefined;

/** The script that finds elements in a page, as one function's body. */
function finderScript(): Promise<string> {
  finder ??= build({
    entryPoints: [fileURLToPath(new URL("find.ts", import.meta.url))],
    bundle: true,
    format: "iife",
    write: false,
    target: "es2022",
    logLevel: "error",
  }).then(({ outputFiles }) => outputFiles[0]?.text ?? "");
  return finder;
}

type Size = { width: number; height: number };

/** A page of a browser that is driven by WebDriver, with what walks use of Playwright's pages. */
export function webDriverPage(driver: WebDriver, size: Size): WalkPage {
  const below = (steps: Step[]) => new WebDriverFound(driver, steps);
  const page = below([]);
  return {
    locator: (css) => page.locator(css),
    getByRole: (role, options) => page.getByRole(role, options),
    getByText: (text, options) => page.getByText(text, options),
    url: () => driver.getCurrentUrl(),
    viewportSize: () => size,
    goto: async (url) => {
      await driver.get(url);
      await untilConsoleWorks(page);
    },
    reload: async () => {
      await driver.navigate().refresh();
      await untilConsoleWorks(page);
    },
    evaluate: async (script) => await inPage(driver, script),
    screenshot: async ({ path }) => await writeFile(path, Buffer.from(await driver.takeScreenshot(), "base64")),
    keyboard: {
      press: async (key) => await driver.switchTo().activeElement().sendKeys(keyOf(key)),
    },
  };
}

function keyOf(name: string): string {
  if (name === "Enter") return Key.ENTER;
  if (name === "ControlOrMeta+a") return Key.chord(Key.CONTROL, "a");
  throw new Error(`No walk has pressed ${name} in this browser before.`);
}

/** Before that, the page shows what was made at build time, such as empty fields. */
const untilConsoleWorks = (page: Found) => page.locator("#root:not([inert])").waitFor({ state: "attached" });

type Outcome<T> = { value: T } | { error: string };

async function inPage<T>(driver: WebDriver, script: () => T | Promise<T>): Promise<T> {
  const outcome = await driver.executeAsyncScript<Outcome<T>>(
    `const done = arguments[arguments.length - 1];
    Promise.resolve().then(${script}).then((value) => done({ value }), (error) => done({ error: String(error) }));`,
  );
  if ("error" in outcome) throw new Error(outcome.error);
  // WebDriver has no undefined.
  return (outcome.value ?? undefined) as T;
}

type Seen = { element: WebElement; visible: boolean };

/** What says that the page changed between finding an element and using it, or that the element cannot be used yet. */
const passing = [
  error.ElementClickInterceptedError,
  error.ElementNotInteractableError,
  error.InvalidElementStateError,
  error.StaleElementReferenceError,
];

class WebDriverFound implements Found {
  private readonly driver: WebDriver;
  private readonly steps: Step[];

  constructor(driver: WebDriver, steps: Step[]) {
    this.driver = driver;
    this.steps = steps;
  }

  private with(...steps: Step[]): WebDriverFound {
    return new WebDriverFound(this.driver, [...this.steps, ...steps]);
  }

  locator(css: string): Found {
    return this.with({ kind: "css", css });
  }

  getByRole: Found["getByRole"] = (role, { name, exact, level } = {}) =>
    this.with({
      kind: "role",
      role,
      ...(name === undefined ? {} : { name: wanted(name, exact) }),
      ...(level === undefined ? {} : { level }),
    });

  getByText: Found["getByText"] = (text, { exact } = {}) => this.with({ kind: "text", text: wanted(text, exact) });

  first(): Found {
    return this.nth(0);
  }

  last(): Found {
    return this.nth(-1);
  }

  nth(index: number): Found {
    return this.with({ kind: "nth", index });
  }

  filter: Found["filter"] = ({ hasText, has, visible } = {}) =>
    this.with(
      ...(hasText === undefined ? [] : [{ kind: "hasText", text: wanted(hasText) } as const]),
      ...(has === undefined ? [] : [{ kind: "has", steps: (has as WebDriverFound).steps } as const]),
      ...(visible === undefined ? [] : [{ kind: "visible", visible } as const]),
    );

  async all(): Promise<Found[]> {
    return (await this.look()).map((_, index) => this.nth(index));
  }

  async click(): Promise<void> {
    await this.until(async () => {
      const element = await this.one("visible");
      if (!(await element.isEnabled()) || !(await this.canBeClicked(element))) return undefined;
      await element.click();
      return true;
    }, "clickable");
  }

  async press(key: string): Promise<void> {
    await (await this.one("visible")).sendKeys(keyOf(key));
  }

  async pressSequentially(text: string): Promise<void> {
    await (await this.one("visible")).sendKeys(text);
  }

  async check(): Promise<void> {
    if (!(await (await this.one("visible")).isSelected())) await this.click();
  }

  async selectOption(value: string): Promise<void> {
    await (await this.one("visible")).findElement(By.css(`option[value="${value}"]`)).click();
  }

  async setInputFiles(paths: string[]): Promise<void> {
    await (await this.one("attached")).sendKeys(paths.join("\n"));
  }

  async isVisible(): Promise<boolean> {
    return (await this.look()).some(({ visible }) => visible);
  }

  async waitFor({ state = "visible" }: { state?: "attached" | "detached" | "visible" | "hidden" } = {}): Promise<void> {
    if (state === "visible" || state === "attached") return void (await this.one(state));
    await this.until(async () => {
      const seen = await this.look();
      return (state === "detached" ? seen.length === 0 : !seen.some(({ visible }) => visible)) || undefined;
    }, state);
  }

  async textContent(): Promise<string | null> {
    return await this.read<string | null>("textContent");
  }

  async inputValue(): Promise<string> {
    return await this.read<string>("value");
  }

  async getAttribute(name: string): Promise<string | null> {
    const element = await this.one("attached");
    return await this.driver.executeScript("return arguments[0].getAttribute(arguments[1])", element, name);
  }

  private async read<T>(property: string): Promise<T> {
    const element = await this.one("attached");
    return await this.driver.executeScript<T>("return arguments[0][arguments[1]]", element, property);
  }

  /** The elements now. The script that finds them is sent once to each page. */
  private async look(): Promise<Seen[]> {
    const script = "return window.findBySteps?.(arguments[0]) ?? null";
    type Answer = { elements: WebElement[]; visible: boolean[] } | null;
    let answer = await this.driver.executeScript<Answer>(script, this.steps);
    if (answer === null) {
      await this.driver.executeScript(await finderScript());
      answer = await this.driver.executeScript<Answer>(script, this.steps);
    }
    const { elements, visible } = answer ?? { elements: [], visible: [] };
    return elements.map((element, index) => ({ element, visible: visible[index] === true }));
  }

  /** Wait until there is one element in this state; several are an error, as the walk would not know which. */
  private one(state: "attached" | "visible"): Promise<WebElement> {
    return this.until(async () => {
      const seen = await this.look();
      assert.ok(seen.length < 2, `${seen.length} elements are ${JSON.stringify(this.steps)}`);
      const [first] = seen;
      return first !== undefined && (state === "attached" || first.visible) ? first.element : undefined;
    }, state);
  }

  private async canBeClicked(element: WebElement): Promise<boolean> {
    const script = "window.canBeClicked(arguments[0]).then(arguments[1])";
    return await this.driver.executeAsyncScript<boolean>(script, element);
  }

  /** Repeat until there is an answer. A page that changes meanwhile is looked at again. */
  private async until<T>(look: () => Promise<T | undefined>, state: string): Promise<T> {
    let last = "";
    for (const end = Date.now() + patience; Date.now() < end; await sleep(50)) {
      try {
        const found = await look();
        if (found !== undefined) return found;
      } catch (problem) {
        if (!passing.some((kind) => problem instanceof kind)) throw problem;
        last = String(problem);
      }
    }
    assert.fail(`${await this.driver.getCurrentUrl()}: not ${state}: ${JSON.stringify(this.steps)} ${last}`);
  }
}

function wanted(text: string | RegExp, exact = false): Wanted {
  return typeof text === "string" ? { text, exact } : { source: text.source, flags: text.flags };
}
