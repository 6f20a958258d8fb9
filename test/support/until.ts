import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";

const pauseMs = 50;
const limitMs = 60_000;

/** Read again and again until there is a value; fails after a minute. */
export async function untilFound<T>(read: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (let waited = 0; waited < limitMs; waited += pauseMs) {
    const value = await read();
    if (value !== undefined) return value;
    await sleep(pauseMs);
  }
  return assert.fail("It did not happen in time.");
}
