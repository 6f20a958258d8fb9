import type { Page } from "../page.ts";

export const filesPages: Page[] = [];
