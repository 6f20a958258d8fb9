import type { Page } from "../page.ts";

export const regulatorPages: Page[] = [];
