import common from "./en/common.json" with { type: "json" };
import nav from "./en/nav.json" with { type: "json" };
import shell from "./en/shell.json" with { type: "json" };
import state from "./en/state.json" with { type: "json" };

/** The English texts of every page. */
export const en = { common, nav, shell, state };
