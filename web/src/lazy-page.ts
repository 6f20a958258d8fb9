import { lazyRouteComponent } from "@tanstack/react-router";
import type { textsOf } from "./i18n/texts-of.ts";
import { withTexts } from "./i18n/with-texts.ts";

/** A page whose code and texts are loaded when it opens: `lazyPage("regulator", () => import("./x-page.tsx"), "XPage")`. */
export function lazyPage<Module extends Record<string, unknown>, Name extends keyof Module & string>(
  area: keyof typeof textsOf,
  load: () => Promise<Module>,
  name: Name,
) {
  return lazyRouteComponent(() => withTexts(area, load), name);
}
