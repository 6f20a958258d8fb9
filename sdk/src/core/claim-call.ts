/** How long a call stays this page's: longer than any oracle waits for its answer. */
const holdMs = 10 * 60_000;

const claimed = new Set<string>();

/**
 * Take a call for this page. False when it was taken before, here or in another tab of the same origin: each call runs once,
 * however many tabs show its session.
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

/** Whether this page has taken the call. */
export const isClaimed = (callId: string): boolean => claimed.has(callId);
