import { useSyncExternalStore } from "react";
import type { Schemas } from "../../../wire/src/routes.ts";
import type { ProofKey } from "./proof-keys.ts";
import { forgetAll, isRemembered, keep, kept, onForgottenElsewhere, setRemembered } from "./vault.ts";

export type KeyHolder = Schemas["KeyHolder"];
export type Role = KeyHolder["role"];

export type ApiKey = {
  token: string;
  holder: KeyHolder;
  /** The pair that the key is bound to; its private half lies in the browser's own keeping. */
  proof?: ProofKey;
  /** There when a wallet signed in and the token is its session's. */
  standing?: Standing;
};

/** What a wallet's account acts as. `inForce` false: the account is that no more. */
export type Standing = Pick<Schemas["Session"], "actsAs" | "did" | "inForce" | "standings" | "expiresAt">;

/** Why a wallet's session ended by itself: its owner chose another account, or took this site's leave to see it. */
export type EndReason = "other-account" | "no-account";

export type Session = {
  key?: ApiKey;
  /** Account of the browser's wallet, with a checksum, and which wallet it is. */
  wallet?: { address: `0x${string}`; id: string; name: string };
  /** True: somebody chose to look around without signing in. */
  guest?: boolean;
  /** True: the last key stopped being valid. */
  expired?: boolean;
  /** There: the wallet ended the last session. */
  ended?: EndReason;
  /** Whose that key was: what is kept in the tab is still theirs. */
  former?: KeyHolder;
};

const name = "session";
let current: Session = kept<Session>(name) ?? {};
// A version before this one kept an admin's key.
keep(name, lasting(current));
const listeners = new Set<() => void>();
const beginnings = new Set<() => void>();
const cleanups = new Set<() => void | Promise<void>>();
const endings = new Set<(key: ApiKey) => Promise<void>>();

/** The session now; components use `useSession`. */
export function session(): Session {
  return current;
}

/**
 * What a reload finds. An admin's key opens everything to whoever reads it, so it lives in this page alone, whatever was chosen; a key
 * that is bound to a pair is of no use without the pair's private half, which cannot be read.
 */
function lasting({ expired: _, ...all }: Session): Session {
  const { key, ...rest } = all;
  if (key === undefined || key.holder.role !== "admin" || key.proof !== undefined) return all;
  return { ...rest, former: key.holder };
}

function change(next: Session): void {
  current = next;
  keep(name, lasting(next));
  for (const listener of listeners) listener();
}

/** Begin a session. `remember`: it outlives this tab; else it dies with it. */
export function begin(next: Session, remember: boolean): void {
  setRemembered(remember);
  for (const listener of beginnings) listener();
  change(next);
}

/** Called before a session begins: what was read in another one's name may not be shown in this one. */
export function onBegin(listener: () => void): () => void {
  beginnings.add(listener);
  return () => beginnings.delete(listener);
}

/** Before somebody's session begins, or a guest's: what the tab has kept of another holder, whose key has ended, goes. */
export async function leaveFormer(holder?: KeyHolder): Promise<void> {
  const { former } = current;
  if (former !== undefined && (holder === undefined || !isSameHolder(former, holder))) await signOut();
}

function isSameHolder(a: KeyHolder, b: KeyHolder): boolean {
  const isShared = (did: "supplierDid" | "implementerDid") => a[did] !== null && a[did] === b[did];
  return a.id === b.id || isShared("supplierDid") || isShared("implementerDid");
}

/** A guest who wants to sign in: what the guest has made in this tab stays. */
export function endVisit(): void {
  const { guest: _, ...rest } = current;
  change(rest);
}

/** Add to the session, such as a wallet that was connected later. */
export function extend(part: Partial<Session>): void {
  change({ ...current, ...part });
}

/** The same key, of which something else is known now. */
export function changeKey(part: Partial<ApiKey>): void {
  const { key } = current;
  if (key !== undefined) change({ ...current, key: { ...key, ...part } });
}

/** The wallet is this site's no more; what the key allows stays. */
export function dropWallet(): void {
  const { wallet: _, ...rest } = current;
  change(rest);
}

/** The server no longer takes a key. Another one, which is in use meanwhile, stays. */
export function clearKey(token: string): void {
  const { key, ...rest } = current;
  if (key?.token !== token) return;
  change({ ...rest, expired: true, former: key.holder });
}

/** Called when somebody signs out: forget what the area keeps. Answers the way to unsubscribe. */
export function onSignOut(cleanup: () => void | Promise<void>): () => void {
  cleanups.add(cleanup);
  return () => cleanups.delete(cleanup);
}

/** End the session; everything that was kept of it goes. `reason`: what the page says to whoever did not ask for it. */
export async function signOut(reason?: EndReason): Promise<void> {
  const { key } = current;
  await Promise.allSettled([...cleanups].map(async (cleanup) => cleanup()));
  forgetAll();
  current = reason === undefined ? {} : { ended: reason };
  for (const listener of listeners) listener();
  if (key !== undefined) await Promise.all([...endings].map((end) => end(key)));
}

/** Called with the key of whoever has signed out, when this device has forgotten it: its end elsewhere. */
export function onEnd(end: (key: ApiKey) => Promise<void>): () => void {
  endings.add(end);
  return () => endings.delete(end);
}

onForgottenElsewhere(() => void signOut());

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useSession(): Session {
  return useSyncExternalStore(subscribe, session);
}

export { isRemembered };
