import { IconMessageCircle } from "@tabler/icons-react";
import { lazyRouteComponent } from "@tanstack/react-router";
import type { Page } from "../page.ts";

export const chatPages: Page[] = [
  {
    path: "/chat",
    area: "chat",
    component: lazyRouteComponent(() => import("./chat-page.tsx"), "ChatPage"),
    nav: { label: "chat.nav", icon: IconMessageCircle },
  },
];
