import type { chat as english } from "../en/chat.ts";

export const chat: typeof english = {
  area: "Oracle",
};
