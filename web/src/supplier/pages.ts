import type { Page } from "../page.ts";

export const supplierPages: Page[] = [];
