import { chat } from "./en/chat.ts";
import { checks } from "./en/checks.ts";
import { common } from "./en/common.ts";
import { files } from "./en/files.ts";
import { home } from "./en/home.ts";
import { implementer } from "./en/implementer.ts";
import { regulator } from "./en/regulator.ts";
import { shell } from "./en/shell.ts";
import { relation, state } from "./en/state.ts";
import { supplier } from "./en/supplier.ts";

/** Every English text of the console; one file per area. */
export const en = { common, checks, state, relation, shell, regulator, supplier, home, implementer, files, chat };
