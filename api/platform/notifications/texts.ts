import en from "./texts/en.json" with { type: "json" };
import fr from "./texts/fr.json" with { type: "json" };
import pt from "./texts/pt.json" with { type: "json" };
import sw from "./texts/sw.json" with { type: "json" };
import type { NoticeType } from "./topics.ts";

/** Languages of notices: those of the console. */
export const languages = ["en", "fr", "pt", "sw"] as const;
export type Language = (typeof languages)[number];

/** In each language a sentence for each type, in which `{subject}` is the record's id and `{deadline}` a date, and phrases around them. */
const texts: Record<Language, typeof en> = { en, fr, pt, sw };

/** Types that have a sentence. */
export const noticeTypes = Object.keys(en.sentences) as NoticeType[];

/** The sentence of a notice. */
export function sentenceOf(
  { type, subject, deadline }: { type: NoticeType; subject: string; deadline: string | null },
  language: Language,
): string {
  const sentences: Partial<Record<NoticeType, string>> = texts[language].sentences;
  const text = sentences[type] ?? `${type} {subject}`;
  return fill(text, { subject, deadline: deadline === null ? "" : shownTime(deadline, language) });
}

/** A phrase of the messages' frame. */
export function phrase(name: keyof typeof en.phrases, language: Language, values: Record<string, string> = {}): string {
  return fill(texts[language].phrases[name], values);
}

function fill(text: string, values: Record<string, string>): string {
  return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "");
}

/** Show a time in UTC, since the server does not know where the reader is. */
function shownTime(iso: string, language: Language): string {
  const format = new Intl.DateTimeFormat(language, { dateStyle: "long", timeStyle: "short", timeZone: "UTC" });
  return `${format.format(new Date(iso))} UTC`;
}
