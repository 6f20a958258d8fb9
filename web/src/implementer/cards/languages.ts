export const cardLanguages = ["en", "fr", "pt", "sw"] as const;
export type CardLanguage = (typeof cardLanguages)[number];

/** Each language's own name, which is the same in every language of the console. */
export const languageNames: Record<CardLanguage, string> = {
  en: "English",
  fr: "Français",
  pt: "Português",
  sw: "Kiswahili",
};
