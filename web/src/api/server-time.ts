/** Smaller differences are the way of the answer, and of a header that counts whole seconds. */
const noticedMs = 5_000;

let behindMs = 0;

/**
 * Learn from an answer of our server how far this device's clock is off: a phone without a network for long may be minutes
 * off, and what it signs with its own time would not be taken. Answers whether the difference is another one than before.
 */
export function noteServerTime(answer: Pick<Response, "headers">, now = Date.now()): boolean {
  const told = Date.parse(answer.headers.get("date") ?? "");
  // A cache in between tells of a time that has passed.
  if (Number.isNaN(told) || answer.headers.has("age")) return false;
  const before = behindMs;
  behindMs = Math.abs(told - now) < noticedMs ? 0 : told - now;
  return Math.abs(behindMs - before) >= noticedMs;
}

/** The server's time as far as it is known, in unix milliseconds. */
export function serverNow(now = Date.now()): number {
  return now + behindMs;
}
