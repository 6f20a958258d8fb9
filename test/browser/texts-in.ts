import { globSync, readFileSync } from "node:fs";

type Language = "en" | "fr";

/** Find a text of the console by its English form, in a language; where the language has several, any of them. */
export type TextsIn = (english: string) => RegExp;

/** The console's texts in a language, so that one test can walk through the console in each. */
export function textsIn(language: Language): TextsIn {
  const known = new Map<string, Set<string>>();
  for (const file of globSync("web/src/i18n/en/*.json")) {
    const [english, translated] = [file, file.replace("/en/", `/${language}/`)].map(textsOf) as [Texts, Texts];
    for (const [key, text] of english) known.set(text, (known.get(text) ?? new Set()).add(translated.get(key) ?? text));
  }
  return (english) => {
    const found = known.get(english);
    if (found === undefined) throw new Error(`The console has no text “${english}”.`);
    return new RegExp(`^(${[...found].map(asPattern).join("|")})$`);
  };
}

type Texts = Map<string, string>;

function textsOf(file: string): Texts {
  const texts: Texts = new Map();
  const add = (value: object, prefix: string) => {
    for (const [name, each] of Object.entries(value))
      if (typeof each === "string") texts.set(`${prefix}${name}`, each);
      else add(each, `${prefix}${name}.`);
  };
  add(JSON.parse(readFileSync(file, "utf8")), "");
  return texts;
}

const asPattern = (text: string) => text.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{\{[^}]+\}\}/g, "(.+)");
