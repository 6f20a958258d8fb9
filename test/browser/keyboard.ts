import assert from "node:assert/strict";
import type { Page } from "playwright-core";

/** Accessible name of the focused element, without the sign of a required field. */
export const focusedName = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const element = document.activeElement;
    if (element === null || element === document.body) return "";
    const own = element.getAttribute("aria-label");
    // Only a field's label has the sign of a required field; an id may end with the same sign.
    const label =
      element instanceof HTMLInputElement ? element.labels?.[0]?.textContent?.replace(/ ?\*$/, "") : undefined;
    // Separate lines are separate words.
    // biome-ignore lint/performance/useDomNodeTextContent: see above
    return (own ?? label ?? (element as HTMLElement).innerText).replace(/\s+/g, " ").trim();
  });

/** Press Tab until the element with this name has the focus. */
export async function tabTo(page: Page, name: string): Promise<void> {
  const passed: string[] = [];
  for (let pressed = 0; pressed < 80; pressed += 1) {
    await page.keyboard.press("Tab");
    const focused = await focusedName(page);
    if (focused === name || focused.startsWith(`${name} `)) return;
    passed.push(focused);
  }
  assert.fail(`Tab does not lead to ${name}, but to ${passed.join(", ")}`);
}
