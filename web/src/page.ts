import type { TablerIcon } from "@tabler/icons-react";
import type { RouteComponent } from "@tanstack/react-router";
import type { TextKey } from "./i18n/i18n.ts";

/** The parts of the console, in the order of its navigation. */
export const areas = ["regulator", "supplier", "implementer", "files", "chat"] as const;
export type Area = (typeof areas)[number];

/** One page: an area lists its own in `<area>/pages.ts`, which pages.ts collects. */
export type Page = {
  /** Below /console; `$name` is a parameter: `/regulator/trace/$id`. */
  path: string;
  area: Area;
  /** `lazyRouteComponent(() => import("./x-page.tsx"), "XPage")`: its code is loaded when the page is opened. */
  component: RouteComponent;
  /** Given: the page opens without a network once it or another such page was open. A function loads what it takes beside its code. */
  offline?: true | (() => Promise<unknown>);
  /** Its entry of the navigation; a page without one is reached from others. */
  nav?: { label: TextKey; icon: TablerIcon };
};

declare module "@tanstack/react-router" {
  interface StaticDataRouteOption {
    offline?: Page["offline"];
  }
}
