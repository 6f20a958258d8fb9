import { randomFillSync } from "node:crypto";
import { ulid } from "ulid";

const pool = Buffer.alloc(4096);
let used = pool.length;

/** Return a random fraction from 0 to below 1, from a buffer. A ULID needs one per character; a system call for each is slow. */
function random(): number {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return (pool[used++] ?? 0) / 256;
}

/** Create a ULID with the given time. */
export function newId(at: Date): string {
  return ulid(at.getTime(), random);
}

const form = /^[0-9A-HJKMNP-TV-Z]{26}$/;

/** Check that a text has the form of an id, before it is used in a query. */
export function isId(text: string): boolean {
  return form.test(text);
}
