import { after } from "node:test";

const ends: (() => Promise<unknown>)[] = [];

/** End something that the files of one process share, when the last of them has ended; the newest first. */
export function atProcessEnd(end: () => Promise<unknown>): void {
  ends.unshift(end);
}

// A hook of the whole process, as this module is loaded before any suite begins: by the first test file or by together.mjs.
after(async () => {
  for (const end of ends) await end();
});
