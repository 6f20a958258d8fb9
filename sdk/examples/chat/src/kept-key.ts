import { makeUserKey, openUserKey, type UserKey } from "./user-key.ts";

const place = "hearth-example-key";

/**
 * This visitor's key, made at the first visit. It lies in this tab's storage and goes with the tab, unless it is kept on the
 * device; an app with wallets asks those instead.
 */
export async function visitorKey(): Promise<UserKey> {
  const secret = localStorage.getItem(place) ?? sessionStorage.getItem(place);
  if (secret !== null) return openUserKey(secret);
  const key = await makeUserKey();
  sessionStorage.setItem(place, key.secret);
  return key;
}

export const isKeptOnDevice = (): boolean => localStorage.getItem(place) !== null;

/** Keep the key on this device from now on, or do not. */
export function keepOnDevice({ secret }: UserKey, isKept: boolean): void {
  if (isKept) localStorage.setItem(place, secret);
  else localStorage.removeItem(place);
  sessionStorage.setItem(place, secret);
}
