/** How long this page holds a call, in milliseconds: longer than any oracle waits for the result. */
const holdMs = 10 * 60_000;

const claimed = new Set<string>();

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
    locks.request(`hearth-call:${callId}`, { ifAvailable: true }, hold).catch(reject);
  });
}

/** Tell whether this page has claimed the call. */
export const isClaimed = (callId: string): boolean => claimed.has(callId);
