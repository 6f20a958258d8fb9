import type { Area } from "../page.ts";
import type { TextFile } from "./texts.ts";

/** The texts that the pages of an area use in addition to those of every page. */
export const textsOf: Record<Area | "home", readonly TextFile[]> = {
  home: ["home"],
  regulator: ["regulator", "implementer", "supplier", "checks", "events", "payouts", "relation"],
  supplier: ["payouts", "supplier"],
  implementer: ["implementer"],
  files: ["files"],
  chat: ["chat", "checks", "files", "regulator", "supplier"],
  admin: ["admin", "payouts", "regulator"],
};
