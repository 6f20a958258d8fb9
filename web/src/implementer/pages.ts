import type { Page } from "../page.ts";

export const implementerPages: Page[] = [];
