import type { Area } from "../areas.ts";
import type { TextFile } from "./texts.ts";

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
