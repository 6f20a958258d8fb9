import fr from "../../wire/src/reason-texts/fr.json" with { type: "json" };
import pt from "../../wire/src/reason-texts/pt.json" with { type: "json" };
import sw from "../../wire/src/reason-texts/sw.json" with { type: "json" };
import { formLanguages, translate } from "./forms/texts.ts";
import type { Reason } from "./reasons.ts";

/** Languages in which reasons are said, by their BCP 47 tags. */
export const reasonLanguages = ["en", "fr", "pt", "sw"] as const;
export type ReasonLanguage = (typeof reasonLanguages)[number];

const texts: Record<Exclude<ReasonLanguage, "en">, Record<string, string>> = { fr, pt, sw };

/** Say a reason in a language. One without a known code is said in English, in which it was stated. */
export function sayReason({ code, values = {}, message }: Reason, language: ReasonLanguage): string {
  const text = language === "en" || code === undefined ? undefined : texts[language][code];
  if (text === undefined) return message;
  return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => sayValue(name, values[name], language));
}

/** Groups of a campaign, as the console names them. */
const groups: Record<string, Partial<Record<ReasonLanguage, string>>> = {
  reference: { fr: "groupe de référence", pt: "grupo de referência", sw: "kundi la marejeo" },
  intervention: { fr: "groupe d’intervention", pt: "grupo de intervenção", sw: "kundi la mradi" },
};

/** Questions and fuels are said in the words of the forms; other values are the same in every language. */
function sayValue(name: string, value: string | number | undefined, language: ReasonLanguage): string {
  const text = String(value ?? "");
  if (name === "group") return groups[text]?.[language] ?? text;
  const formLanguage = formLanguages[reasonLanguages.indexOf(language)] ?? formLanguages[0];
  return (["question", "fuel"].includes(name) && translate(text, formLanguage)) || text;
}
