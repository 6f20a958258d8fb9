/** The languages, each in its own words. */
export const languageNames = { en: "English", fr: "Français", pt: "Português", sw: "Kiswahili" };
export type Language = keyof typeof languageNames;
export const languages = Object.keys(languageNames) as Language[];
/** Languages whose translation has only begun: a text that one lacks is shown in English. All others must have every text. */
export const partial: readonly Language[] = [];

/** Name in localStorage of the language that was chosen on this device. */
export const languageKey = "hearth.language";

/** The language that is wanted most, of these BCP 47 tags in their order; else English. */
export function languageOf(tags: readonly string[]): Language {
  const wanted = tags.map((tag) => languages.find((each) => each === tag.slice(0, 2)));
  return wanted.find((each) => each !== undefined) ?? "en";
}
