/** Name in sessionStorage of whether the oracle's panel is open: `open` and the id of its session. */
export const storageName = "hearth.chat.panel";
