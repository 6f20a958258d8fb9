import { computeAccessibleName, getRole, isInaccessible } from "dom-accessibility-api";

/** A text to compare with: a part of it without regard to case, the whole, or a regular expression. */
export type Wanted = { text: string; exact: boolean } | { source: string; flags: string };

/** A step from the elements found so far, or from the page, to others. */
export type Step =
  | { kind: "css"; css: string }
  | { kind: "role"; role: string; name?: Wanted; level?: number }
  | { kind: "text"; text: Wanted }
  | { kind: "hasText"; text: Wanted }
  | { kind: "has"; steps: Step[] }
  | { kind: "visible"; visible: boolean }
  | { kind: "nth"; index: number };

declare global {
  interface Window {
    findBySteps?: (steps: Step[]) => { elements: Element[]; visible: boolean[] };
    canBeClicked?: (element: Element) => Promise<boolean>;
  }
}

/** Find elements as Playwright's locators do. This script runs in the page. */
window.findBySteps = (steps) => {
  const elements = follow([document], steps) as Element[];
  return { elements, visible: elements.map(isVisible) };
};

/** Whether an element stays where it is and nothing covers its middle, after it was scrolled into view. */
window.canBeClicked = async (element) => {
  element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
  const [before, after] = [await nextBox(element), await nextBox(element)];
  const [x, y] = [after.x + after.width / 2, after.y + after.height / 2];
  if (before.x !== after.x || before.y !== after.y || before.width !== after.width) return false;
  const hit = document.elementFromPoint(x, y);
  const label = (element as HTMLInputElement).labels?.[0];
  return hit !== null && (element.contains(hit) || label?.contains(hit) === true);
};

const nextBox = (element: Element) =>
  new Promise<DOMRect>((resolve) => requestAnimationFrame(() => resolve(element.getBoundingClientRect())));

function follow(from: (Document | Element)[], steps: Step[]): (Document | Element)[] {
  return steps.reduce((found, step) => take(found, step), from);
}

function take(found: (Document | Element)[], step: Step): (Document | Element)[] {
  switch (step.kind) {
    case "css":
      return within(found, (root) => [...root.querySelectorAll(step.css)]);
    case "role":
      return within(found, (root) => [...root.querySelectorAll("*")].filter((each) => hasRole(each, step)));
    case "text":
      return within(found, (root) => withText(root, step.text));
    case "hasText":
      return found.filter((each) => isLike(textOf(each), step.text));
    case "has":
      return found.filter((each) => follow([each], step.steps).length > 0);
    case "visible":
      return found.filter((each) => isVisible(each as Element) === step.visible);
    case "nth":
      return found.slice(step.index, step.index === -1 ? undefined : step.index + 1);
  }
}

/** The elements below any of these, once each, in the document's order. */
function within(roots: (Document | Element)[], search: (root: Document | Element) => Element[]): Element[] {
  const all = new Set(roots.flatMap(search));
  if (roots.length === 1) return [...all];
  return [...all].sort((one, other) =>
    one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1,
  );
}

function hasRole(element: Element, { role, name, level }: Extract<Step, { kind: "role" }>): boolean {
  if (getRole(element) !== role || isInaccessible(element)) return false;
  if (level !== undefined && levelOf(element) !== level) return false;
  return name === undefined || isLike(computeAccessibleName(element), name);
}

const levelOf = (element: Element) =>
  Number(element.getAttribute("aria-level") ?? /^H(\d)$/.exec(element.tagName)?.[1]);

/** The smallest elements with this text, which may be the root itself; scripts and styles are none. */
function withText(root: Document | Element, wanted: Wanted): Element[] {
  const all = [...(root instanceof Element ? [root] : []), ...root.querySelectorAll("*")];
  const matching = all.filter(
    (each) => !/^(SCRIPT|STYLE|NOSCRIPT|HEAD|TITLE)$/.test(each.tagName) && isLike(textOf(each), wanted),
  );
  return matching.filter((each) => ![...each.children].some((child) => isLike(textOf(child), wanted)));
}

const spaces = /\s+/g;
const textOf = (node: Node) => (node.textContent ?? "").replace(spaces, " ").trim();

function isLike(text: string, wanted: Wanted): boolean {
  const shown = text.replace(spaces, " ").trim();
  if ("source" in wanted) return new RegExp(wanted.source, wanted.flags).test(shown);
  const sought = wanted.text.replace(spaces, " ").trim();
  return wanted.exact ? shown === sought : shown.toLowerCase().includes(sought.toLowerCase());
}

function isVisible(element: Element): boolean {
  const { width, height } = element.getBoundingClientRect();
  return width > 0 && height > 0 && element.checkVisibility({ visibilityProperty: true });
}
