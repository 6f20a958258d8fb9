import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { InlineConfig, Plugin, Rolldown } from "vite";
import { makeFirstPaint } from "./first-paint.ts";
import { neededAtOnce, withImports } from "./follow-imports.ts";
import { areas } from "./src/areas.ts";
import { languageKey, partial } from "./src/i18n/languages.ts";
import { textsOf } from "./src/i18n/texts-of.ts";
import { choice, prefix, tabOnly } from "./src/session/vault.ts";

const base = "/console/";

/**
 * Lets the browser show the sign-in page before it has any script, and fetch the code, styles and texts of what it shows first
 * together with the first script: the sign-in, or with a session the opened page. Otherwise each file is found only when the one
 * before has run, and each costs a round trip on a slow network. A script in the page does it, because only the browser knows its
 * session and its language. The server names the script's hash in the page's Content Security Policy.
 */
export const startEarly = (config: InlineConfig): Plugin => ({
  name: "start-early",
  apply: "build",
  transformIndexHtml: {
    order: "post",
    async handler(html, { bundle = {} }) {
      const css = Object.values(bundle).find(({ fileName }) => html.includes(fileName) && fileName.endsWith(".css"));
      if (css?.type !== "asset") throw new Error("The page has no styles.");
      const { styles, templates } = await makeFirstPaint(config, String(css.source));
      const script = `<script>(${startPage})(${JSON.stringify(earlyFiles(bundle))});</script>`;
      const beginning = '<div id="root" inert>';
      if (!html.includes(beginning)) throw new Error("The page has no place for the console.");
      return {
        html: html
          // main.tsx applies the styles: until they have come, the browser shows what is in the page itself.
          .replace('rel="stylesheet"', 'rel="preload" as="style" data-styles')
          // In functions, because $ has a meaning in a replacement.
          .replace(beginning, () => `${templates}\n${beginning}`)
          .replace("</noscript>", () => `</noscript>\n${script}`),
        tags: [{ tag: "style", children: styles, injectTo: "head-prepend" }],
      };
    },
  },
});

type EarlyFiles = ReturnType<typeof earlyFiles>;

/** The pages that app.tsx shows with and without a session, by their paths. */
const linkPages = {
  join: "shell/join-page.tsx",
  shared: "files/shared-page.tsx",
  notifications: "shell/notifications/notification-link-page.tsx",
};

/** What a page asks of public routes first, by its path. A supplier's first page shows other figures. */
const answers: Record<string, string[]> = { "": ["/reports/summary", "/reports/double-counting"] };

/** The source of each page by its path, as the areas' pages.ts list them: `["regulator/trace/*", "regulator/trace/trace-page.tsx"]`. */
function pageSources(): [string, string][] {
  const folder = join(import.meta.dirname, "src");
  const listed = areas.flatMap((area) => {
    const text = readFileSync(join(folder, area, "pages.ts"), "utf8");
    const found = [...text.matchAll(/path: "\/([^"]+)",[^{}]*?import\("\.\/([^"]+)"\)/g)];
    if (found.length !== text.match(/\bpath: /g)?.length)
      throw new Error(`Pages of ${area} were not found in its pages.ts.`);
    return found.map(([, path = "", source = ""]): [string, string] => [
      path.replaceAll(/\$\w+/g, "*"),
      `${area}/${source}`,
    ]);
  });
  return [["", "shell/home-page.tsx"], ...listed];
}

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
  const signIn = filesOf(ofSource("shell/sign-in-page.tsx"), first);
  const pageFiles = (source: string, known: ReadonlySet<string>) => [
    ...filesOf([source, ...neededAtOnce(source)].flatMap(ofSource), known),
  ];
  const pages = pageSources().map(([path, source]) => [path, pageFiles(source, first.union(session))] as const);
  const links = Object.entries(linkPages).map(([path, source]) => [path, pageFiles(source, first)] as const);
  const texts: Record<string, Record<string, string>> = {};
  for (const { fileName, facadeModuleId } of of(/\/i18n\/\w\w(\/\w+\.json|\.ts)$/)) {
    const [, language = "", file = ""] = /\/i18n\/(\w\w)(?:\/(\w+)\.json|\.ts)$/.exec(facadeModuleId ?? "") ?? [];
    texts[language] = { ...texts[language], [file]: fileName };
  }
  for (const { fileName, facadeModuleId } of of(/\/reason-texts\/\w\w\.json$/)) {
    const language = basename(facadeModuleId ?? "", ".json");
    texts[language] = { ...texts[language], reasons: fileName };
  }
  // Most files are needed by many pages, so each name is there once, and the lists have its place.
  const names: string[] = [];
  const placesOf = (files: Iterable<string>) =>
    [...files].map((file) => (names.includes(file) ? names.indexOf(file) : names.push(file) - 1));
  const placesByPath = (lists: (readonly [string, readonly string[]])[]): Record<string, number[]> =>
    Object.fromEntries(lists.map(([path, files]) => [path, placesOf(files)]));
  return {
    base,
    signIn: placesOf(signIn),
    session: placesOf(session),
    pages: placesByPath(pages),
    links: placesByPath(links),
    files: names,
    texts,
    answers,
    textsOf,
    partial,
    keys: { session: `${prefix}session`, choice, tabOnly, language: languageKey, scheme: "mantine-color-scheme-value" },
  };
}

/** Runs in the browser, by itself: it may use nothing of this module. */
function startPage({
  base,
  signIn,
  session,
  pages,
  links,
  files,
  texts,
  answers,
  textsOf,
  partial,
  keys,
}: EarlyFiles): void {
  const isRemembered = localStorage.getItem(keys.choice) === "1" && sessionStorage.getItem(keys.tabOnly) === null;
  const kept = (isRemembered ? localStorage : sessionStorage).getItem(keys.session);
  const isBegun = kept !== null && /"(key|guest)":/.test(kept);
  const path = location.pathname.slice(base.length).replace(/\/$/, "");
  const [area = ""] = path.split("/");
  // A page of one record has its id as the third part of the path.
  const page = pages[path] ?? pages[path.replace(/^([^/]+\/[^/]+)\/[^/]+/, "$1/*")] ?? [];
  const link = links[path];
  const preferred = [localStorage.getItem(keys.language) ?? "", ...navigator.languages].map((tag) => tag.slice(0, 2));
  const language = preferred.find((tag) => tag in texts) ?? "en";
  const languages = (partial as readonly string[]).includes(language) ? [language, "en"] : [language];
  const areaOfTexts = path === "shared" ? "files" : area || "home";
  const ofArea = isBegun || link !== undefined ? (textsOf[areaOfTexts as keyof typeof textsOf] ?? []) : [];
  const needed = [
    ...(link ?? (isBegun ? [...session, ...page] : signIn)).map((place) => files[place]),
    ...languages.flatMap((each) => ["", ...ofArea].map((file) => texts[each]?.[file])),
  ];
  for (const file of needed) {
    if (file === undefined) continue;
    const tag = document.createElement("link");
    Object.assign(tag, file.endsWith(".css") ? { rel: "preload", as: "style" } : { rel: "modulepreload" });
    Object.assign(tag, { crossOrigin: "", href: base + file });
    document.head.append(tag);
  }
  const isSupplier = isBegun && kept.includes('"role":"supplier"');
  for (const href of isBegun && !isSupplier ? (answers[path] ?? []) : []) {
    const tag = document.createElement("link");
    // As fetch() asks later, or the browser would ask twice.
    Object.assign(tag, { rel: "preload", as: "fetch", crossOrigin: "anonymous", href });
    document.head.append(tag);
  }
  const root = document.documentElement;
  root.lang = language;
  const scheme = localStorage.getItem(keys.scheme);
  const isDark = scheme === "dark" || (scheme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  root.setAttribute("data-mantine-color-scheme", isDark ? "dark" : "light");
  if (isBegun || link !== undefined) return;
  const template = document.querySelector<HTMLTemplateElement>(`template[data-sign-in=${language}]`);
  if (template !== null) document.getElementById("root")?.replaceChildren(template.content);
}
