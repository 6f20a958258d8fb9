import { loadTexts } from "./i18n.ts";
import { textsOf } from "./texts-of.ts";

/** Load code together with the texts of its area, since neither can be shown without the other. */
export async function withTexts<Module>(area: keyof typeof textsOf, load: () => Promise<Module>): Promise<Module> {
  const [module] = await Promise.all([load(), loadTexts(textsOf[area])]);
  return module;
}
