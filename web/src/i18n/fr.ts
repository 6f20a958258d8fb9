import type { en } from "./en.ts";
import { chat } from "./fr/chat.ts";
import { checks } from "./fr/checks.ts";
import { common } from "./fr/common.ts";
import { files } from "./fr/files.ts";
import { home } from "./fr/home.ts";
import { implementer } from "./fr/implementer.ts";
import { regulator } from "./fr/regulator.ts";
import { shell } from "./fr/shell.ts";
import { relation, state } from "./fr/state.ts";
import { supplier } from "./fr/supplier.ts";

/** Every French text of the console; one file per area. */
export const fr: typeof en = {
  common,
  checks,
  state,
  relation,
  shell,
  regulator,
  supplier,
  home,
  implementer,
  files,
  chat,
};
