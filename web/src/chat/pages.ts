import { IconMessageCircle } from "@tabler/icons-react";
import { lazyPage } from "../lazy-page.ts";
import type { Page } from "../page.ts";

export const chatPages: Page[] = [
  {
    path: "/chat",
    area: "chat",
    component: lazyPage("chat", () => import("./chat-page.tsx"), "ChatPage"),
    nav: { label: "nav.chat.conversation", icon: IconMessageCircle },
  },
];
