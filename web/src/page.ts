import type { TablerIcon } from "@tabler/icons-react";
import type { RouteComponent } from "@tanstack/react-router";
import type { Area } from "./areas.ts";
import type { TextKey } from "./i18n/i18n.ts";

/** One page. Each area lists its pages in `<area>/pages.ts`; pages.ts collects them. */
export type Page = {
  /** Below /console; `$name` is a parameter: `/regulator/trace/$id`. */
  path: string;
  area: Area;
  /** `lazyPage(area, () => import("./x-page.tsx"), "XPage")`. */
  component: RouteComponent;
  /**
   * Given: the page works offline after it, or another such page, was opened once. A function loads what it needs
   * besides its code.
   */
  offline?: true | (() => Promise<unknown>);
  /** Entry in the navigation; a page without one is reached by links. */
  nav?: { label: TextKey; icon: TablerIcon };
};

declare module "@tanstack/react-router" {
  interface StaticDataRouteOption {
    offline?: Page["offline"];
  }
}
