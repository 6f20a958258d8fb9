import { IconFiles, IconHistory, IconKey, IconTrash } from "@tabler/icons-react";
import { lazyRouteComponent } from "@tanstack/react-router";
import type { Page } from "../page.ts";

export const filesPages: Page[] = [
  {
    path: "/files/browse",
    area: "files",
    component: lazyRouteComponent(() => import("./files-page.tsx"), "FilesPage"),
    nav: { label: "files.nav.browse", icon: IconFiles },
  },
  {
    path: "/files/activity",
    area: "files",
    component: lazyRouteComponent(() => import("./activity-page.tsx"), "ActivityPage"),
    nav: { label: "files.nav.activity", icon: IconHistory },
  },
  {
    path: "/files/trash",
    area: "files",
    component: lazyRouteComponent(() => import("./trash-page.tsx"), "TrashPage"),
    nav: { label: "files.nav.trash", icon: IconTrash },
  },
  {
    path: "/files/keys",
    area: "files",
    component: lazyRouteComponent(() => import("./keys-page.tsx"), "KeysPage"),
    nav: { label: "files.nav.keys", icon: IconKey },
  },
];
