import common from "./fr/common.json" with { type: "json" };
import nav from "./fr/nav.json" with { type: "json" };
import shell from "./fr/shell.json" with { type: "json" };
import state from "./fr/state.json" with { type: "json" };

/** The French texts of every page. */
export const fr = { common, nav, shell, state };
