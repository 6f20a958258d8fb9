import type { Page } from "playwright-core";

/** All texts that the page shows or that screen readers announce, without duplicates; names and codes are left out. */
export function shownTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const texts = new Set<string>();
    const tell = (text: string | null) => texts.add((text ?? "").replace(/\s+/g, " ").trim());
    const isName = (element: Element) =>
      element.closest("code, pre, script, style, noscript, [translate=no], [lang]:not(html)");
    const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (nodes.nextNode()) {
      const parent = nodes.currentNode.parentElement;
      if (parent !== null && isName(parent) === null) tell(nodes.currentNode.textContent);
    }
    for (const name of ["aria-label", "aria-description", "placeholder", "alt", "title"])
      for (const element of document.querySelectorAll(`[${name}]`))
        if (isName(element) === null) tell(element.getAttribute(name));
    return [...texts];
  });
}

/** Whether a text may be a sentence: more than three words of letters. */
export const isSentence = (text: string): boolean =>
  text.split(" ").filter((word) => /^\p{L}{2,}[\p{P}]*$/u.test(word)).length > 3;
