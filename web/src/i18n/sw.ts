import common from "./sw/common.json" with { type: "json" };
import nav from "./sw/nav.json" with { type: "json" };
import shell from "./sw/shell.json" with { type: "json" };
import state from "./sw/state.json" with { type: "json" };

/** The Swahili texts of every page. */
export const sw = { common, nav, shell, state };
