import { JSDOM } from "jsdom";
import postcss, { type Root } from "postcss";
import { createServer, type InlineConfig } from "vite";

type Prerender = typeof import("./src/prerender.tsx");
/** What a browser shows before it has any script, in each language, and for whom. */
export type FirstPages = Awaited<ReturnType<Prerender["renderAll"]>>;

/** Render the sign-in page, and each page before it has its records. */
export async function renderFirstPages(config: InlineConfig): Promise<FirstPages> {
  const { window } = new JSDOM("", { url: "https://hearth.example/console/" });
  // Where there are no passkeys, the sign-in page shows a line in place of their button: it is replaced with the real page.
  Object.assign(window, { PublicKeyCredential: Object });
  // The page's modules read the browser's storage and address when they are loaded.
  const { document, localStorage, sessionStorage } = window;
  const globals = { window, document, localStorage, sessionStorage };
  const before = Object.keys(globals).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
  for (const [name, value] of Object.entries(globals))
    Object.defineProperty(globalThis, name, { value, configurable: true });
  const server = await createServer({
    ...config,
    mode: "production",
    configFile: false,
    root: import.meta.dirname,
    logLevel: "error",
    appType: "custom",
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
    optimizeDeps: { noDiscovery: true },
  });
  try {
    const { renderAll } = (await server.ssrLoadModule("/src/prerender.tsx")) as Prerender;
    return await renderAll();
  } finally {
    await server.close();
    for (const [name, descriptor] of before) {
      if (descriptor === undefined) Reflect.deleteProperty(globalThis, name);
      else Object.defineProperty(globalThis, name, descriptor);
    }
    window.close();
  }
}

/** Mantine's variables and classes, which are the same on every page; styles of single elements are marked as "inline". */
const styleTags = /<style data-mantine-styles="(?:true|classes)"[^>]*>(.*?)<\/style>/gs;

export function variablesIn(html: string): string {
  return [...html.matchAll(styleTags)].map(([, css = ""]) => css).join("");
}

/** The content of a rendered page. Nothing can be typed yet, and it says nothing of the day on which it was built. */
export function contentOf(html: string): string {
  return html
    .replaceAll(styleTags, "")
    .replace(/^(<link [^>]*>)+/, "")
    .replaceAll(/<(input|textarea) /g, "<$1 readonly ")
    .replaceAll(/(<input [^>]*) value="\d{4}[^"]*"/g, "$1")
    .replaceAll(/<time .*?<\/time>/gs, "");
}

/**
 * The rules of a style sheet that apply to HTML as it is shown first: without a pointer and a focus. `all` has all classes that any such
 * HTML uses.
 */
export function styleSheet(css: string, all: string): (html: string) => string {
  const sheet = rulesFor(postcss.parse(css), all);
  return (html) => rulesFor(sheet, html).toString();
}

function rulesFor(sheet: Root, html: string): Root {
  const used = new Set([...html.matchAll(/class="([^"]*)"/g)].flatMap(([, names = ""]) => names.split(" ")));
  const isUsed = (selector: string) =>
    !/:(hover|active|focus)/.test(selector) &&
    [...selector.matchAll(/\.([\w-]+)/g)].every(([, name = ""]) => used.has(name));
  const own = sheet.clone();
  own.walkRules((rule) => {
    // Steps of an animation have no classes.
    if (rule.parent?.type === "atrule" && "name" in rule.parent && rule.parent.name === "keyframes") return;
    const selectors = rule.selectors.filter(isUsed);
    if (selectors.length === 0) rule.remove();
    else rule.selectors = selectors;
  });
  const animations = new Set<string>();
  own.walkDecls(/^animation(-name)?$/, ({ value }) => {
    for (const name of value.split(/[\s,]+/)) animations.add(name);
  });
  own.walkAtRules((rule) => {
    const isUnused = rule.name === "keyframes" && !animations.has(rule.params);
    if (rule.nodes?.length === 0 || isUnused) rule.remove();
  });
  return own;
}

/** Attributes that are in a language. */
export const attributes = ["aria-label", "placeholder", "title", "value"];

/** The texts and attributes of translated HTML in their order; undefined when it has other elements than the English HTML. */
export function wordsIn(html: string, english: string | undefined): string[] | undefined {
  if (english === undefined) return undefined;
  const [own, other] = [takeWords(html), takeWords(english)];
  return own.rest === other.rest ? own.words : undefined;
}

type Words = { words: string[]; rest: string };
/** The sign-in and the frame are in every page. */
const taken = new Map<string, Words>();

/** Take all words out of a page. */
function takeWords(html: string): Words {
  const known = taken.get(html);
  if (known !== undefined) return known;
  const page = JSDOM.fragment(html);
  const words: string[] = [];
  const visit = (node: Node | Element): void => {
    if ("setAttribute" in node) {
      for (const name of attributes) {
        if (!node.hasAttribute(name)) continue;
        words.push(node.getAttribute(name) ?? "");
        node.setAttribute(name, "");
      }
    } else if (node.nodeType === 3 && node.parentNode?.nodeName !== "STYLE") {
      words.push(node.nodeValue ?? "");
      node.nodeValue = "·";
    }
    node.childNodes.forEach(visit);
  };
  page.childNodes.forEach(visit);
  const rest = [...page.children].map(({ outerHTML }) => outerHTML).join("");
  taken.set(html, { words, rest });
  return { words, rest };
}
