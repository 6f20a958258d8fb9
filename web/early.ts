import type { Plugin, Rolldown } from "vite";
import { languageKey, partial } from "./src/i18n/languages.ts";
import { textsOf } from "./src/i18n/texts-of.ts";
import { choice, prefix, tabOnly } from "./src/session/vault.ts";

const base = "/console/";

/**
 * Lets the browser fetch the code, styles and texts of what it shows first together with the first script: the sign-in, or with a
 * session the opened page. Otherwise each file is found only when the one before has run, and each costs a round trip on a slow
 * network. A script of a few kilobytes does it, because only the browser knows its session and its language.
 */
export const preloadEarly: Plugin = {
  name: "preload-early",
  apply: "build",
  generateBundle: {
    order: "pre",
    handler(_options, bundle) {
      const source = `(${preloadFiles})(${JSON.stringify(earlyFiles(bundle))});\n`;
      this.emitFile({ type: "asset", name: "early.js", source });
    },
  },
  transformIndexHtml: {
    order: "post",
    handler(html, { bundle = {} }) {
      const early = Object.values(bundle).find((file) => file.type === "asset" && file.names.includes("early.js"));
      if (early === undefined) throw new Error("The script that loads early was not written.");
      const tag = {
        tag: "script",
        attrs: { async: true, src: `${base}${early.fileName}` },
        injectTo: "head-prepend",
      } as const;
      // main.tsx applies the styles: until they have come, the browser shows what is in the page itself.
      return { html: html.replace('rel="stylesheet"', 'rel="preload" as="style" data-styles'), tags: [tag] };
    },
  },
};

type EarlyFiles = ReturnType<typeof earlyFiles>;

/** Find what each page needs beyond the first script, by the names of the sources: `regulator/vouchers-page.tsx` is `regulator/vouchers`. */
function earlyFiles(bundle: Rolldown.OutputBundle) {
  const chunks = new Map(
    Object.values(bundle).flatMap((file) => (file.type === "chunk" ? [[file.fileName, file]] : [])),
  );
  const of = (source: RegExp) => [...chunks.values()].filter((chunk) => source.test(chunk.facadeModuleId ?? ""));
  /** Names of these scripts, of all that they import, and of their styles. */
  const withImports = (from: readonly Rolldown.OutputChunk[], without: ReadonlySet<string> = new Set()) => {
    const found = new Set(from.map(({ fileName }) => fileName));
    // Files added during the loop are visited too.
    for (const name of found) {
      const chunk = chunks.get(name);
      for (const each of [...(chunk?.imports ?? []), ...(chunk?.viteMetadata?.importedCss ?? [])]) found.add(each);
    }
    return found.difference(without);
  };
  const first = withImports([...chunks.values()].filter(({ isEntry }) => isEntry));
  const session = withImports(of(/\/shell\/signed-in\.tsx$/), first);
  const known = first.union(session);
  const sourceOfPage = /\/src\/(\w+)\/(?:.+\/)?([\w-]+)-page\.tsx$/;
  const pages = of(sourceOfPage).map((chunk) => {
    const [, area = "", page = ""] = sourceOfPage.exec(chunk.facadeModuleId ?? "") ?? [];
    const path = area === "shell" ? page : `${area}/${page}`;
    const all = path === "home" ? [chunk, ...of(/\/home-figures\.tsx$/)] : [chunk];
    return [path, [...withImports(all, known)]] as const;
  });
  const texts: Record<string, Record<string, string>> = {};
  for (const { fileName, facadeModuleId } of of(/\/i18n\/\w\w(\/\w+\.json|\.ts)$/)) {
    const [, language = "", file = ""] = /\/i18n\/(\w\w)(?:\/(\w+)\.json|\.ts)$/.exec(facadeModuleId ?? "") ?? [];
    texts[language] = { ...texts[language], [file]: fileName };
  }
  return {
    base,
    signIn: [...withImports(of(/\/shell\/sign-in-page\.tsx$/), first)],
    session: [...session],
    pages: Object.fromEntries(pages),
    texts,
    textsOf,
    partial,
    names: { session: `${prefix}session`, choice, tabOnly, language: languageKey },
  };
}

/** Runs in the browser, by itself: it may use nothing of this module. */
function preloadFiles({ base, signIn, session, pages, texts, textsOf, partial, names }: EarlyFiles): void {
  const isRemembered = localStorage.getItem(names.choice) === "1" && sessionStorage.getItem(names.tabOnly) === null;
  const kept = (isRemembered ? localStorage : sessionStorage).getItem(names.session);
  const isBegun = kept !== null && /"(key|guest)":/.test(kept);
  const [area = "", page = ""] = location.pathname.slice(base.length).split("/");
  const tags = [localStorage.getItem(names.language) ?? "", ...navigator.languages].map((tag) => tag.slice(0, 2));
  const language = tags.find((tag) => tag in texts) ?? "en";
  const languages = (partial as readonly string[]).includes(language) ? [language, "en"] : [language];
  const ofArea = isBegun ? (textsOf[(area || "home") as keyof typeof textsOf] ?? []) : [];
  const files = [
    ...(isBegun ? [...session, ...(pages[area === "" ? "home" : `${area}/${page}`] ?? [])] : signIn),
    ...languages.flatMap((each) => ["", ...ofArea].map((file) => texts[each]?.[file])),
  ];
  for (const file of files) {
    if (file === undefined) continue;
    const link = document.createElement("link");
    Object.assign(link, file.endsWith(".css") ? { rel: "preload", as: "style" } : { rel: "modulepreload" });
    Object.assign(link, { crossOrigin: "", href: base + file });
    document.head.append(link);
  }
}
