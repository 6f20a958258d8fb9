import { IconFiles, IconHistory, IconKey, IconTrash } from "@tabler/icons-react";
import { lazyPage } from "../lazy-page.ts";
import type { Page } from "../page.ts";

export const filesPages: Page[] = [
  {
    path: "/files/browse",
    area: "files",
    component: lazyPage("files", () => import("./files-page.tsx"), "FilesPage"),
    nav: { label: "nav.files.browse", icon: IconFiles },
  },
  {
    path: "/files/activity",
    area: "files",
    component: lazyPage("files", () => import("./activity-page.tsx"), "ActivityPage"),
    nav: { label: "nav.files.activity", icon: IconHistory },
  },
  {
    path: "/files/trash",
    area: "files",
    component: lazyPage("files", () => import("./trash/trash-page.tsx"), "TrashPage"),
    nav: { label: "nav.files.trash", icon: IconTrash },
  },
  {
    path: "/files/keys",
    area: "files",
    component: lazyPage("files", () => import("./keys-page.tsx"), "KeysPage"),
    nav: { label: "nav.files.keys", icon: IconKey },
  },
];
