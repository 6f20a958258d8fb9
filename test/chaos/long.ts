/** Reason to leave out what takes a minute or more, outside the long run; false in it. */
export const onlyLong = process.env.HEARTH_LONG === "1" ? false : "only in the long run (npm run test:chaos)";

/** Load what the tests work with, once they run: it takes seconds, and most runs leave these tests out. */
export const loadParts = () => import("./parts.ts");
