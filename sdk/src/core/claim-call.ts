import { logInDevelopment } from "./development.ts";

/** How long this page holds a call, in milliseconds: longer than any oracle waits for the result. */
const holdMs = 10 * 60_000;

/** How often a page looks whether the page that sent the message still has the turn, in milliseconds. */
const lookMs = 50;

const claimed = new Set<string>();
const callLock = (callId: string) => `hearth-call:${callId}`;
const turnLock = (requestId: string) => `hearth-turn:${requestId}`;

/**
 * Hold the turn of a message that this page sends: pages of the same origin that only show it leave its calls to this one. The hold ends
 * with the page.
 * @returns a function that ends it
 */
export function holdTurn(requestId: string): () => void {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  // Without the lock, the other pages wait only a moment.
  globalThis.navigator?.locks
    ?.request(turnLock(requestId), () => released)
    .catch((error: unknown) => logInDevelopment("The turn is not held for this page.", error));
  return release;
}

/**
 * Wait until the page that sent a message has claimed one of its calls, is closed, or has not claimed it for `mostMs` milliseconds.
 * A page that was closed after it had claimed the call may have run it.
 * @returns whether another page has claimed the call
 */
export async function isTaken(callId: string, requestId: string, mostMs: number): Promise<boolean> {
  for (const until = Date.now() + mostMs; ; ) {
    const { held = [] } = (await globalThis.navigator?.locks?.query()) ?? {};
    const isHeld = (lock: string) => held.some(({ name }) => name === lock);
    if (isHeld(callLock(callId))) return true;
    if (!isHeld(turnLock(requestId)) || Date.now() >= until) return false;
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
}

/**
 * Claim a call for this page, so that it runs once even if several tabs show its session.
 * @returns false when this page or another tab of the same origin has claimed it already
 */
export async function claimCall(callId: string): Promise<boolean> {
  if (claimed.has(callId)) return false;
  claimed.add(callId);
  setTimeout(() => claimed.delete(callId), holdMs);
  const locks = globalThis.navigator?.locks;
  if (locks === undefined) return true;
  return await new Promise<boolean>((resolve, reject) => {
    const hold = (lock: Lock | null) => {
      resolve(lock !== null);
      return lock === null ? undefined : new Promise((release) => setTimeout(release, holdMs));
    };
    locks.request(callLock(callId), { ifAvailable: true }, hold).catch(reject);
  });
}

/** Tell whether this page has claimed the call. */
export const isClaimed = (callId: string): boolean => claimed.has(callId);
