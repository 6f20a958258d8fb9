import type { Page } from "../page.ts";

export const chatPages: Page[] = [];
