import common from "./pt/common.json" with { type: "json" };
import nav from "./pt/nav.json" with { type: "json" };
import shell from "./pt/shell.json" with { type: "json" };
import state from "./pt/state.json" with { type: "json" };

/** The Portuguese texts of every page. */
export const pt = { common, nav, shell, state };
