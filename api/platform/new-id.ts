import { randomFillSync } from "node:crypto";
import { ulid } from "ulid";

const pool = Buffer.alloc(4096);
let used = pool.length;

/** A fraction from 0 to below 1. ULIDs take a random number a character; asking the system for each costs more than the rest. */
function random(): number {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return (pool[used++] ?? 0) / 256;
}

/** A ULID of that moment. */
export function newId(at: Date): string {
  return ulid(at.getTime(), random);
}

const form = /^[0-9A-HJKMNP-TV-Z]{26}$/;

/** False for a text that no file can have as its id, and that no statement need see. */
export function isId(text: string): boolean {
  return form.test(text);
}
