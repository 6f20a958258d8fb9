import { adminPages } from "./admin/pages.ts";
import { chatPages } from "./chat/pages.ts";
import { filesPages } from "./files/pages.ts";
import { implementerPages } from "./implementer/pages.ts";
import type { Page } from "./page.ts";
import { regulatorPages } from "./regulator/pages.ts";
import { supplierPages } from "./supplier/pages.ts";

/** Every page, in the order of the navigation. */
export const pages: Page[] = [
  ...regulatorPages,
  ...supplierPages,
  ...implementerPages,
  ...filesPages,
  ...chatPages,
  ...adminPages,
];
