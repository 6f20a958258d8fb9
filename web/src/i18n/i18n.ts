import i18next, { type ParseKeys } from "i18next";
import { initReactI18next } from "react-i18next";
import type { en } from "./en.ts";

/** Key of a text, such as `shell.signIn.title`. */
export type TextKey = ParseKeys;

export const languages = ["en", "fr"] as const;
export type Language = (typeof languages)[number];

const storageKey = "hearth.language";
/** Only the texts of the current language are loaded. */
const texts: Record<Language, () => Promise<object>> = {
  en: async () => (await import("./en.ts")).en,
  fr: async () => (await import("./fr.ts")).fr,
};

declare module "i18next" {
  interface CustomTypeOptions {
    resources: { translation: typeof en };
  }
}

/** The language chosen on this device, else the browser's, else English. */
export function preferredLanguage(): Language {
  const wanted = [localStorage.getItem(storageKey) ?? "", ...navigator.languages].map((tag) => tag.slice(0, 2));
  return wanted.map((tag) => languages.find((each) => each === tag)).find((each) => each !== undefined) ?? "en";
}

/** The locale for numbers and dates in a language: the browser's preference, such as `en-GB` for `en`. */
export function localeOf(language: string): string {
  return navigator.languages.find((tag) => tag.startsWith(language)) ?? language;
}

/** Load a language's texts and use them. */
export async function showLanguage(language: Language): Promise<void> {
  if (!i18next.hasResourceBundle(language, "translation")) {
    i18next.addResourceBundle(language, "translation", await texts[language]());
  }
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
}

/** Choose a language for this device. */
export async function chooseLanguage(language: Language): Promise<void> {
  localStorage.setItem(storageKey, language);
  await showLanguage(language);
}

export async function startI18n(): Promise<void> {
  await i18next
    .use(initReactI18next)
    .init({ resources: {}, fallbackLng: false, interpolation: { escapeValue: false } });
  await showLanguage(preferredLanguage());
}
