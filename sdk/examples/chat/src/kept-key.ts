import { makeUserKey, openUserKey, type UserKey } from "./user-key.ts";

const place = "hearth-example-key";

/**
 * Load the visitor's key, or create one. It is stored for this tab only, unless the visitor keeps it on the device. An app with
 * wallets uses those instead.
 */
export async function visitorKey(): Promise<UserKey> {
  const secret = localStorage.getItem(place) ?? sessionStorage.getItem(place);
  if (secret !== null) return openUserKey(secret);
  const key = await makeUserKey();
  sessionStorage.setItem(place, key.secret);
  return key;
}

export const isKeptOnDevice = (): boolean => localStorage.getItem(place) !== null;

/** Store the key on this device, or remove it from there. */
export function keepOnDevice({ secret }: UserKey, isKept: boolean): void {
  if (isKept) localStorage.setItem(place, secret);
  else localStorage.removeItem(place);
  sessionStorage.setItem(place, secret);
}
