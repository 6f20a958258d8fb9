import { useSyncExternalStore } from "react";
import { forgetAll, isRemembered, keep, kept, setRemembered } from "./vault.ts";

export type Role = "admin" | "implementer" | "supplier" | "evaluator" | "regulator" | "integrator";

/** Whose key it is, as GET /v1/keys/self tells. */
export type KeyHolder = {
  id: string;
  role: Role;
  supplierDid: string | null;
  implementerDid: string | null;
  scopes: string[];
  dids: string[] | null;
};

export type ApiKey = {
  token: string;
  holder: KeyHolder;
  /** Private JWK of the pair that the key is bound to. */
  proof?: JsonWebKey;
};

export type Session = {
  key?: ApiKey;
  /** Account of the browser's wallet, with a checksum. */
  wallet?: { address: `0x${string}`; name: string };
  /** True: somebody chose to look around without signing in. */
  guest?: boolean;
  /** True: the last key stopped being valid. */
  expired?: boolean;
};

const name = "session";
let current: Session = kept<Session>(name) ?? {};
const listeners = new Set<() => void>();
const cleanups = new Set<() => void | Promise<void>>();

/** The session now; components use `useSession`. */
export function session(): Session {
  return current;
}

function change(next: Session): void {
  current = next;
  const { expired: _, ...lasting } = next;
  keep(name, lasting);
  for (const listener of listeners) listener();
}

/** Begin a session. `remember`: it outlives this tab; else it dies with it. */
export function begin(next: Session, remember: boolean): void {
  setRemembered(remember);
  change(next);
}

/** Add to the session, such as a wallet that was connected later. */
export function extend(part: Partial<Session>): void {
  change({ ...current, ...part });
}

/** The server no longer takes the key. */
export function clearKey(): void {
  const { key: _, ...rest } = current;
  change({ ...rest, expired: true });
}

/** Called when somebody signs out: forget what the area keeps. Answers the way to unsubscribe. */
export function onSignOut(cleanup: () => void | Promise<void>): () => void {
  cleanups.add(cleanup);
  return () => cleanups.delete(cleanup);
}

/** End the session; everything that was kept of it goes. */
export async function signOut(): Promise<void> {
  await Promise.allSettled([...cleanups].map(async (cleanup) => cleanup()));
  forgetAll();
  current = {};
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useSession(): Session {
  return useSyncExternalStore(subscribe, session);
}

export { isRemembered };
