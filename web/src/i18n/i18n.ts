import i18next, { type ParseKeys } from "i18next";
import { initReactI18next } from "react-i18next";
import { type Language, languageKey, languageOf, partial } from "./languages.ts";
import type { TextFile, Texts } from "./texts.ts";

/** Key of a text, such as `shell.signIn.title`. */
export type TextKey = ParseKeys;

/** Only the texts that the current language needs are loaded: those of every page, and those of the opened pages. */
const textsOfEveryPage: Record<Language, () => Promise<object>> = {
  en: async () => (await import("./en.ts")).en,
  fr: async () => (await import("./fr.ts")).fr,
  pt: async () => (await import("./pt.ts")).pt,
  sw: async () => (await import("./sw.ts")).sw,
};
const textsOfPages = import.meta.glob<object>(["./*/*.json", "!./*/{common,nav,shell,state}.json"], {
  import: "default",
});
const reasonTexts = import.meta.glob<object>("../../../wire/src/reason-texts/*.json", { import: "default" });
const opened = new Set<TextFile>();

/** The texts of a file in a language; undefined where it has none. */
const textsOfFile = (language: Language, file: TextFile) =>
  file === "reasons"
    ? reasonTexts[`../../../wire/src/reason-texts/${language}.json`]
    : textsOfPages[`./${language}/${file}.json`];

declare module "i18next" {
  interface CustomTypeOptions {
    resources: { translation: Texts };
  }
}

/** The language chosen on this device, else the browser's, else English. */
export function preferredLanguage(): Language {
  return languageOf([localStorage.getItem(languageKey) ?? "", ...navigator.languages]);
}

/** The locale for numbers and dates in a language: the browser's preference, such as `en-GB` for `en`. */
export function localeOf(language: string): string {
  return navigator.languages.find((tag) => tag.startsWith(language)) ?? language;
}

/** Load a language's texts and use them. */
export async function showLanguage(language: Language): Promise<void> {
  await Promise.all(withFallback(language).map(load));
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
  document.documentElement.dir = i18next.dir(language);
}

/** Load these texts in the current language, and from now on in each language that is chosen. */
export async function loadTexts(files: readonly TextFile[]): Promise<void> {
  for (const file of files) opened.add(file);
  await Promise.all(withFallback(i18next.language as Language).map(load));
}

const withFallback = (language: Language): Language[] => (partial.includes(language) ? [language, "en"] : [language]);

/** Load what is not loaded yet of a language's texts: those of every page, and those of the opened pages. */
async function load(language: Language): Promise<void> {
  const has = (file: string) => i18next.getResource(language, "translation", file) !== undefined;
  const add = (texts: object) =>
    i18next.addResourceBundle(language, "translation", withMillions(language, texts), true);
  await Promise.all([
    has("common") || textsOfEveryPage[language]().then(add),
    ...[...opened].map(async (file) => {
      const texts = has(file) ? undefined : await textsOfFile(language, file)?.();
      if (texts !== undefined) add({ [file]: texts });
    }),
  ]);
}

const withMillions = (language: Language, texts: object) =>
  new Intl.PluralRules(language).resolvedOptions().pluralCategories.includes("many") ? withMany(texts) : texts;

/** French and Portuguese have a form for whole millions. It differs from the form for several only in "de". */
export function withMany(texts: object): object {
  const entries = Object.entries(texts).flatMap(([key, text]: [string, string | object]) => {
    if (typeof text !== "string") return [[key, withMany(text)]];
    const many = key.replace(/_other$/, "_many");
    return many === key || many in texts
      ? [[key, text]]
      : [
          [key, text],
          [many, text],
        ];
  });
  return Object.fromEntries(entries);
}

/** Choose a language for this device. */
export async function chooseLanguage(language: Language): Promise<void> {
  localStorage.setItem(languageKey, language);
  await showLanguage(language);
}

export async function startI18n(): Promise<void> {
  await i18next.use(initReactI18next).init({
    resources: {},
    fallbackLng: { ...Object.fromEntries(partial.map((each) => [each, ["en"]])), default: [] },
    interpolation: { escapeValue: false },
  });
  await showLanguage(preferredLanguage());
}
