import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type InlineConfig, minifySync, type Plugin, type Rolldown } from "vite";
import {
  attributes,
  contentOf,
  type FirstPages,
  renderFirstPages,
  styleSheet,
  variablesIn,
  wordsIn,
} from "./first-paint.ts";
import { neededAtOnce, withImports } from "./follow-imports.ts";
import { pageSources } from "./page-sources.ts";
import { storageName as panelKey } from "./src/chat/panel-name.ts";
import { type Language, languageKey, languages, partial } from "./src/i18n/languages.ts";
import { textSource, textsOf } from "./src/i18n/texts-of.ts";
import { deviceMark } from "./src/identity/key-vault.ts";
import { choice, prefix, tabOnly } from "./src/session/vault.ts";

const base = "/console/";
/** Where the pages other than the first one are written: `regulator.vouchers.html`. The server knows the names, too. */
const folder = "pages";
/** The call of `startPage` in each page. Its argument is put in place of `OPENED`. */
const { code: startCall } = minifySync("start-page.js", `(${startPage})(OPENED)`);

/**
 * Lets the browser show a page before it has any script, and fetch the code, styles and texts that it needs together with the first
 * script. Otherwise each file is found only when the one before has run, and each costs a round trip on a slow network. The build
 * writes an HTML file for each page of the console. A script in it does the rest, because only the browser knows its session and its
 * language: without a session it shows the sign-in. The server names the script's hash in the page's Content Security Policy.
 */
export function startEarly(config: InlineConfig): Plugin {
  const others = new Map<string, string>();
  return {
    name: "start-early",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      async handler(html, { bundle = {} }) {
        const first = await renderFirstPages(config);
        const files = earlyFiles(bundle);
        const stylesOf = styleSheet(allStyles(html, bundle), everyPage(first));
        const pages = [...files.pages.keys()].map(
          (path) => [path, writePage(html, path, { first, files, stylesOf })] as const,
        );
        for (const [path, page] of pages) if (path !== "") others.set(nameOf(path), page);
        return new Map(pages).get("") ?? html;
      },
    },
    async writeBundle({ dir = "" }) {
      await mkdir(join(dir, folder), { recursive: true });
      for (const [name, page] of others) await writeFile(join(dir, folder, name), page);
    },
  };
}

/** All that a browser may show first, in one language: the others have the same elements. */
function everyPage({ texts: { en } }: FirstPages): string {
  const pages = Object.values(en.pages).flatMap((each) => each.map(({ html }) => html));
  return [en.signIn, en.frame, ...pages].join("");
}

/** The file of a page: `regulator.vouchers.html`, and for a page of one record `regulator.trace._.html`. */
const nameOf = (path: string) => `${path.replace("*", "_").replaceAll("/", ".")}.html`;

/** The styles of the first script and then those that only some pages have. */
function allStyles(html: string, bundle: Rolldown.OutputBundle): string {
  const sheets = Object.values(bundle).flatMap((file) =>
    file.type === "asset" && file.fileName.endsWith(".css") ? [file] : [],
  );
  const isFirst = ({ fileName }: { fileName: string }) => html.includes(fileName);
  if (!sheets.some(isFirst)) throw new Error("The page has no styles.");
  return [...sheets.filter(isFirst), ...sheets.filter((file) => !isFirst(file))]
    .map(({ source }) => String(source))
    .join("\n");
}

type Parts = { first: FirstPages; files: EarlyFiles; stylesOf: (html: string) => string };

/** Write what the page at this path shows first, and the script that shows it, into the built HTML. */
function writePage(html: string, path: string, { first, files, stylesOf }: Parts): string {
  const beginning = '<div id="root" inert>';
  if (!html.includes(beginning)) throw new Error("The page has no place for the console.");
  const isLink = path in linkPages;
  const { templates, words } = isLink ? { templates: "", words: {} } : templatesOf(first, path);
  const styles = isLink ? "" : stylesOf(templates);
  const variables = isLink ? "" : variablesIn(first.texts.en.signIn);
  const opened: Opened = {
    base,
    path,
    isLink,
    ...files.of(path),
    words,
    attributes: [...attributes],
    answers: answers[path] ?? [],
    areas: first.areas,
    accounts: Object.fromEntries(languages.map((language) => [language, first.texts[language].accounts])),
    partial,
    keys: {
      session: `${prefix}session`,
      choice,
      tabOnly,
      language: languageKey,
      scheme: "mantine-color-scheme-value",
      panel: panelKey,
      deviceKey: deviceMark,
    },
  };
  const call = startCall.replace("OPENED", () => JSON.stringify(opened).replaceAll("<", "\\u003c"));
  const script = `<script>${call}</script>`;
  return (
    html
      // main.tsx applies the styles: until they have come, the browser shows what is in the page itself.
      .replace('rel="stylesheet"', 'rel="preload" as="style" data-styles')
      // In functions, because $ has a meaning in a replacement.
      .replace("<head>", () => `<head>\n<style>${styles}</style>`)
      // After the style sheet, which has Mantine's own colours for the same variables.
      .replace("</head>", () => `<style>${variables}</style>\n</head>`)
      .replace(beginning, () => `${templates}\n${beginning}`)
      .replace("</noscript>", () => `</noscript>\n${script}`)
  );
}

/**
 * What the browser may show: the sign-in, the frame of every page, and the page itself, for some readers each. In English, with the
 * words of the other languages; where a translation has other elements, it is there as a whole.
 */
function templatesOf({ texts }: FirstPages, path: string): { templates: string; words: Opened["words"] } {
  const partsOf = (language: Language) => {
    const { signIn, frame, pages } = texts[language];
    const own = pages[`/${path}`] ?? [];
    return [
      { name: "sign-in", html: contentOf(signIn) },
      { name: "frame", html: contentOf(frame) },
      ...own.map(({ readers, html }) => ({ name: `page ${readers.join(" ")}`, html: contentOf(html) })),
    ];
  };
  const english = new Map(partsOf("en").map(({ name, html }) => [name, html]));
  const templates = [...english].map(([name, html]) => `<template data-first="${name}">${html}</template>`);
  const words: Opened["words"] = {};
  for (const language of languages.filter((each) => each !== "en")) {
    const ofLanguage: Record<string, string[]> = {};
    for (const { name, html } of partsOf(language)) {
      const found = wordsIn(html, english.get(name));
      if (found !== undefined) ofLanguage[name] = found;
      else templates.push(`<template data-first="${name}" lang="${language}">${html}</template>`);
    }
    words[language] = ofLanguage;
  }
  return { templates: templates.join("\n"), words };
}

/** The pages that app.tsx shows with and without a session, by their paths. */
const linkPages: Record<string, string> = {
  join: "shell/join-page.tsx",
  shared: "files/shared-page.tsx",
  notifications: "shell/notifications/notification-link-page.tsx",
};

/** For whom tokens of files and of the oracle are signed: the first question of their pages (identity/bearer.ts). */
const service = ["/.well-known/did.json"];
/** What a page asks of public routes first, by its path. A supplier's first page shows other figures. */
const answers: Record<string, string[]> = {
  "": ["/reports/summary", "/reports/double-counting"],
  chat: service,
  "files/browse": service,
};

type TextFiles = Record<string, { signIn: string[]; opened: string[] }>;
type EarlyFiles = ReturnType<typeof earlyFiles>;

/** Find what each page needs beyond the first script. */
function earlyFiles(bundle: Rolldown.OutputBundle) {
  const chunks = new Map(
    Object.values(bundle).flatMap((file) => (file.type === "chunk" ? [[file.fileName, file]] : [])),
  );
  const of = (source: RegExp) => [...chunks.values()].filter((chunk) => source.test(chunk.facadeModuleId ?? ""));
  const ofSource = (source: string) => {
    const found = of(new RegExp(`/web/src/${source.replaceAll(".", "\\.")}$`));
    if (found.length === 0) throw new Error(`The console has no separate file for ${source}.`);
    return found;
  };
  /** Names of these scripts, of all that they import, and of their styles. */
  const filesOf = (from: readonly Rolldown.OutputChunk[], without: ReadonlySet<string> = new Set()) => {
    const names = from.map(({ fileName }) => fileName);
    return withImports(names, (name) => {
      const chunk = chunks.get(name);
      return [...(chunk?.imports ?? []), ...(chunk?.viteMetadata?.importedCss ?? [])];
    }).difference(without);
  };
  const first = filesOf([...chunks.values()].filter(({ isEntry }) => isEntry));
  const session = filesOf(ofSource("shell/signed-in.tsx"), first);
  const signIn = [...filesOf(ofSource("shell/sign-in-page.tsx"), first)];
  const pageFiles = (source: string, known: ReadonlySet<string>) => [
    ...filesOf([source, ...neededAtOnce(source)].flatMap(ofSource), known),
  ];
  const sources = pageSources();
  const pages = new Map([
    ...sources.map(
      ({ path, source }) => [path, [...session, ...pageFiles(source, first.union(session))]] as [string, string[]],
    ),
    ...Object.entries(linkPages).map(([path, source]) => [path, pageFiles(source, first)] as [string, string[]]),
  ]);
  /** The built file of a source of texts, whose path is from the console's folder. */
  const textFile = (source: string) => {
    const id = join(import.meta.dirname, source);
    return [...chunks.values()].flatMap(({ facadeModuleId, fileName }) => (facadeModuleId === id ? [fileName] : []));
  };
  const textsFor = (path: string): TextFiles => {
    const names = sources.find((each) => each.path === path)?.texts ?? (path === "shared" ? textsOf.files : []);
    return Object.fromEntries(
      languages.map((language) => [
        language,
        {
          signIn: textFile(`src/i18n/${language}.ts`),
          opened: names.flatMap((name) => textFile(textSource(language, name))),
        },
      ]),
    );
  };
  return { pages, of: (path: string) => ({ signIn, opened: pages.get(path) ?? [], texts: textsFor(path) }) };
}

/** What the script in a page knows of it. */
type Opened = {
  base: string;
  /** Below `base`; a star for the id of a record. */
  path: string;
  isLink: boolean;
  signIn: string[];
  opened: string[];
  texts: TextFiles;
  /** By language and template: what replaces each English text and attribute. */
  words: Record<string, Record<string, string[]>>;
  attributes: string[];
  answers: string[];
  areas: FirstPages["areas"];
  accounts: Record<string, FirstPages["texts"]["en"]["accounts"]>;
  partial: readonly string[];
  keys: {
    session: string;
    choice: string;
    tabOnly: string;
    language: string;
    scheme: string;
    panel: string;
    deviceKey: string;
  };
};

/** Runs in the browser, by itself: it may use nothing of this module. */
function startPage(page: Opened): void {
  const { base, keys } = page;
  type Key = { holder: { role: keyof Opened["areas"] }; standing?: { actsAs: string } };
  const isRemembered = localStorage.getItem(keys.choice) === "1" && sessionStorage.getItem(keys.tabOnly) === null;
  const kept = (isRemembered ? localStorage : sessionStorage).getItem(keys.session);
  const { key, guest }: { key?: Key; guest?: boolean } = kept === null ? {} : JSON.parse(kept);
  const isBegun = key !== undefined || guest === true;
  const path = location.pathname.slice(base.length).replace(/\/$/, "");
  // Without a network, the first page stands for every page. A page of one record has its id as the third part of the path.
  const isOpened = path === page.path || path.replace(/^([^/]+\/[^/]+)\/[^/]+/, "$1/*") === page.path;
  const preferred = [localStorage.getItem(keys.language) ?? "", ...navigator.languages].map((tag) => tag.slice(0, 2));
  const language = preferred.find((tag) => tag in page.texts) ?? "en";
  const needsPage = isOpened && (isBegun || page.isLink);
  const needed = [
    ...(needsPage ? page.opened : isBegun ? [] : page.signIn),
    ...(page.partial.includes(language) ? [language, "en"] : [language]).flatMap((each) => {
      const { signIn = [], opened = [] } = page.texts[each] ?? {};
      return needsPage ? [...signIn, ...opened] : signIn;
    }),
  ];
  const fetchEarly = (attributes: object) =>
    document.head.append(Object.assign(document.createElement("link"), attributes));
  for (const file of needed) {
    const kind = file.endsWith(".css") ? { rel: "preload", as: "style" } : { rel: "modulepreload" };
    fetchEarly({ ...kind, crossOrigin: "", href: base + file });
  }
  const role = key?.holder.role ?? "guest";
  if (needsPage && (path !== "" || role !== "supplier")) {
    // As fetch() asks later, or the browser would ask twice.
    for (const href of page.answers) fetchEarly({ rel: "preload", as: "fetch", crossOrigin: "anonymous", href });
  }
  const html = document.documentElement;
  html.lang = language;
  const scheme = localStorage.getItem(keys.scheme);
  const isDark = scheme === "dark" || (scheme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  html.setAttribute("data-mantine-color-scheme", isDark ? "dark" : "light");
  const root = document.getElementById("root");
  // With an open panel of the oracle, the page is narrower.
  const hasPanel = (sessionStorage.getItem(keys.panel) ?? "").startsWith("open");
  if (root === null || page.isLink || (isBegun && (!isOpened || hasPanel))) return;
  const shown = take(isBegun ? "frame" : "sign-in");
  if (shown === undefined) return;
  if (isBegun) fill(shown);
  root.replaceChildren(shown);

  /** The content of a template in the reader's language. */
  function take(name: string): DocumentFragment | undefined {
    const named = `template[data-first~="${name}"]`;
    const find = (selector: string) => document.querySelector<HTMLTemplateElement>(selector);
    const template = find(`${named}[lang=${language}]`) ?? find(`${named}:not([lang])`);
    if (template === null) return undefined;
    const { content } = template;
    const words = template.lang === "" ? page.words[language]?.[template.dataset.first ?? ""] : undefined;
    if (words === undefined) return content;
    const nodes = document.createTreeWalker(content, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    let next = 0;
    while (nodes.nextNode() !== null) {
      const node = nodes.currentNode;
      if (node instanceof Element) {
        for (const name of page.attributes) if (node.hasAttribute(name)) node.setAttribute(name, words[next++] ?? "");
      } else if (node.parentNode?.nodeName !== "STYLE") node.nodeValue = words[next++] ?? "";
    }
    return content;
  }

  /** Fill the frame: the areas of this reader, the opened page in the navigation, the header, the name of the account, and the page itself. */
  function fill(frame: DocumentFragment): void {
    const isReader = role === "integrator" && key?.standing !== undefined;
    const sections = [...frame.querySelectorAll("nav section")];
    const ofArea = (area: string) => sections.find((each) => each.getAttribute("aria-labelledby") === `area-${area}`);
    const own = page.areas[isReader ? "guest" : role].flatMap((area) => ofArea(area) ?? []);
    sections[0]?.parentElement?.replaceChildren(...own);
    for (const link of frame.querySelectorAll("nav a")) {
      const target = (link.getAttribute("href") ?? "").slice(base.length);
      if (path === target || path.startsWith(`${target}/`)) {
        link.setAttribute("data-active", "true");
        link.setAttribute("aria-current", "page");
      }
    }
    for (const each of frame.querySelectorAll("[data-not-on]"))
      if (each.getAttribute("data-not-on") === path) each.remove();
    const accounts = page.accounts[language];
    const account = key?.standing ? accounts?.standing[key.standing.actsAs] : accounts?.role[role];
    const button = [...frame.querySelectorAll("header button")].at(-1);
    button?.setAttribute("aria-label", account ?? "");
    const label = button?.querySelector(".mantine-Text-root");
    if (label) label.textContent = account ?? "";
    const content = take(role);
    if (content === undefined) return;
    // With a key that stays on the device, there is nothing to warn of.
    if (localStorage.getItem(keys.deviceKey) !== null)
      for (const each of content.querySelectorAll("[data-unless-kept]")) each.remove();
    // Filters, tabs and places in the address change what is below the title.
    const parts = [...(content.firstElementChild?.children ?? [])];
    if (location.search !== "") for (const part of parts.slice(1)) part.remove();
    frame.querySelector("main")?.append(content);
  }
}
