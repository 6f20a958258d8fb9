import type { Area } from "../page.ts";
import { loadTexts } from "./i18n.ts";
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

/** Load code together with the texts of its area, since neither can be shown without the other. */
export async function withTexts<Module>(area: keyof typeof textsOf, load: () => Promise<Module>): Promise<Module> {
  const [module] = await Promise.all([load(), loadTexts(textsOf[area])]);
  return module;
}
