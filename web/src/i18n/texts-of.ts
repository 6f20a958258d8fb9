import type { Area } from "../areas.ts";
import type { TextFile } from "./texts.ts";

/** Source of a file of texts, from the console's folder. The reasons of field records are shared with the API. */
export function textSource(language: string, file: TextFile): string {
  return file === "reasons" ? `../wire/src/reason-texts/${language}.json` : `src/i18n/${language}/${file}.json`;
}

/**
 * The texts that the pages of an area use in addition to those of every page, and those of its pages that use more; those of the
 * oracle's answers, which pages load later; and those of parts that are loaded on use (`lazyPart`), in addition to their page's.
 */
export const textsOf = {
  home: ["home"],
  regulator: ["regulator"],
  "regulator/trace": ["regulator", "events", "relation"],
  "regulator/record": ["traced"],
  "regulator/checks": ["regulator", "checks"],
  "regulator/implementers": ["regulator", "implementer"],
  "regulator/suppliers": ["regulator", "supplier"],
  "regulator/participants": ["regulator", "admin", "people"],
  "regulator/payouts": ["payouts"],
  "regulator/registry": ["registry"],
  supplier: ["supplier"],
  "supplier/payouts": ["supplier", "payouts"],
  implementer: ["implementer", "operation"],
  "implementer/devices": ["implementer", "devices", "operation"],
  "implementer/households": ["households", "operation"],
  "implementer/records": ["implementer", "reasons"],
  files: ["files"],
  chat: ["chat", "files"],
  answers: ["chat", "checks", "regulator", "supplier"],
  acts: ["acts"],
  "acts/parameters": ["acts", "admin", "implementer"],
  decisions: ["decisions"],
  admin: ["admin", "people"],
  "admin/devices": ["admin", "devices"],
  "admin/people": ["people"],
  "admin/keys": ["people", "keys"],
  "admin/payouts": ["payouts"],
  "admin/registries": ["admin", "regulator"],
} satisfies Record<Area | "home" | "answers" | "acts" | "decisions", readonly TextFile[]> &
  Record<string, readonly TextFile[]>;
