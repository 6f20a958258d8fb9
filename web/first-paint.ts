import { JSDOM } from "jsdom";
import postcss from "postcss";
import { type InlineConfig, runnerImport } from "vite";
import { languages } from "./src/i18n/languages.ts";

export type FirstPaint = { styles: string; templates: string };

/**
 * Make the HTML and styles that let a browser show the sign-in page before it has any script: a template for each language,
 * and those of the console's styles that they use.
 */
export async function makeFirstPaint(config: InlineConfig, css: string): Promise<FirstPaint> {
  const pages = (await renderPages(config)).map(split);
  const html = pages.map(({ content }) => content).join("");
  const [{ styles = "" } = {}] = pages;
  return {
    styles: `${stylesFor(css, html)}${styles}`,
    templates: pages
      .map(({ content }, index) => `<template data-sign-in="${languages[index]}">${content}</template>`)
      .join("\n"),
  };
}

/** The page's modules read the browser's storage and address when they are loaded. */
async function renderPages(config: InlineConfig): Promise<string[]> {
  const { window } = new JSDOM("", { url: "https://hearth.example/console/" });
  // Where there are no passkeys, the page shows a line in place of their button: it is replaced with the real page.
  Object.assign(window, { PublicKeyCredential: Object });
  const { document, localStorage, sessionStorage } = window;
  const globals = { window, document, localStorage, sessionStorage };
  const before = Object.keys(globals).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
  for (const [name, value] of Object.entries(globals))
    Object.defineProperty(globalThis, name, { value, configurable: true });
  try {
    type Prerender = typeof import("./src/prerender.tsx");
    const { module } = await runnerImport<Prerender>("/src/prerender.tsx", {
      ...config,
      configFile: false,
      root: import.meta.dirname,
      logLevel: "error",
    });
    return module.signInPages;
  } finally {
    for (const [name, descriptor] of before) {
      if (descriptor === undefined) Reflect.deleteProperty(globalThis, name);
      else Object.defineProperty(globalThis, name, descriptor);
    }
    window.close();
  }
}

/** Mantine writes its variables in front of the content; they are the same in every language. Nothing can be typed yet. */
function split(html: string): { styles: string; content: string } {
  const tags = /<style[^>]*>(.*?)<\/style>/gs;
  return {
    styles: [...html.matchAll(tags)].map(([, css = ""]) => css).join(""),
    content: html.replaceAll(tags, "").replaceAll("<input ", "<input readonly "),
  };
}

/** The rules that apply to this HTML as it is shown first: without a pointer and a focus. */
function stylesFor(css: string, html: string): string {
  const used = new Set([...html.matchAll(/class="([^"]*)"/g)].flatMap(([, names = ""]) => names.split(" ")));
  const isUsed = (selector: string) =>
    !/:(hover|active|focus)/.test(selector) &&
    [...selector.matchAll(/\.([\w-]+)/g)].every(([, name = ""]) => used.has(name));
  const sheet = postcss.parse(css);
  sheet.walkAtRules("keyframes", (rule) => void rule.remove());
  sheet.walkRules((rule) => {
    const selectors = rule.selectors.filter(isUsed);
    if (selectors.length === 0) rule.remove();
    else rule.selectors = selectors;
  });
  sheet.walkAtRules((rule) => {
    if (rule.nodes?.length === 0) rule.remove();
  });
  return sheet.toString();
}
