import texts from "./texts.json" with { type: "json" };

/** Languages of the forms, as ODK Collect lists them. The questions are written in the first one. */
export const formLanguages = ["English (en)", "Français (fr)", "Português (pt)", "Kiswahili (sw)"] as const;
export type FormLanguage = (typeof formLanguages)[number];

const known = texts as Record<string, string[]>;

/** Translate a text of a form. A text that differs from a known one by its numbers and dates alone keeps them, in their order. */
export function translate(text: string, language: FormLanguage): string | undefined {
  const at = formLanguages.indexOf(language);
  if (at === 0) return text;
  const values: string[] = [];
  const template = text.replaceAll(/\d{4}-\d{2}-\d{2}|\d+/g, (value) => {
    values.push(value);
    return "#";
  });
  return known[template]?.[at - 1]?.replaceAll("#", () => values.shift() ?? "");
}
