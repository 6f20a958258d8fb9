/** Smaller differences come from network delay and from the header's whole seconds. */
const noticedMs = 5_000;

let behindMs = 0;

/**
 * Measure this device's clock against a response of the server. A phone that was long offline may be minutes off, and the
 * server refuses what it signs with a wrong time.
 *
 * @returns whether the difference has changed
 */
export function noteServerTime(answer: Pick<Response, "headers">, now = Date.now()): boolean {
  const told = Date.parse(answer.headers.get("date") ?? "");
  // A cached response carries an old time.
  if (Number.isNaN(told) || answer.headers.has("age")) return false;
  const before = behindMs;
  behindMs = Math.abs(told - now) < noticedMs ? 0 : told - now;
  return Math.abs(behindMs - before) >= noticedMs;
}

/** The server's time as currently known, in unix milliseconds. */
export function serverNow(now = Date.now()): number {
  return now + behindMs;
}
