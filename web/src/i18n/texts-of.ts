import type { Area } from "../areas.ts";
import type { TextFile } from "./texts.ts";

/** Source of a file of texts, from the console's folder. The reasons of field records are shared with the API. */
export function textSource(language: string, file: TextFile): string {
  return file === "reasons" ? `../wire/src/reason-texts/${language}.json` : `src/i18n/${language}/${file}.json`;
}

/** The texts that the pages of an area use in addition to those of every page; and those of the oracle's answers. */
export const textsOf: Record<Area | "home" | "answers", readonly TextFile[]> = {
  home: ["home"],
  regulator: ["regulator", "implementer", "supplier", "checks", "events", "payouts", "relation"],
  supplier: ["payouts", "supplier"],
  implementer: ["implementer", "reasons"],
  files: ["files"],
  chat: ["chat", "files"],
  answers: ["chat", "checks", "regulator", "supplier"],
  admin: ["admin", "payouts", "regulator"],
};
