import type { Schemas } from "../../../wire/src/routes.ts";
import type { ProofKey } from "./proof-keys.ts";
import { useStore } from "./use-store.ts";
import { forgetAll, isRemembered, keep, kept, onEndedInOtherTab, setRemembered } from "./vault.ts";

export type KeyHolder = Schemas["KeyHolder"];
export type Role = KeyHolder["role"];

export type ApiKey = {
  token: string;
  holder: KeyHolder;
  /** The pair that the key is bound to; its private key is stored by the browser. */
  proof?: ProofKey;
  /** Given when the token belongs to a wallet's session. */
  standing?: Standing;
};

/** The role in which a wallet's account acts. `inForce` false: the account no longer has it. */
export type Standing = Pick<Schemas["Session"], "actsAs" | "did" | "inForce" | "standings" | "expiresAt">;

/** Why a wallet's session ended: the wallet's owner chose another account, or disconnected this site. */
export type EndReason = "other-account" | "no-account";

export type Session = {
  key?: ApiKey;
  /** Checksummed account of the browser's wallet, and which wallet it is. */
  wallet?: { address: `0x${string}`; id: string; name: string };
  /** True: a guest without a key. */
  guest?: boolean;
  /** True: the last key is no longer valid. */
  expired?: boolean;
  /** Given when the wallet ended the last session. */
  ended?: EndReason;
  /** Holder of that key: the data kept in the tab still belongs to them. */
  former?: KeyHolder;
};

const name = "session";
let current: Session = kept<Session>(name) ?? {};
// An earlier version stored an admin's key.
keep(name, lasting(current));
const listeners = new Set<() => void>();
const beginnings = new Set<() => void>();
const cleanups = new Set<() => void | Promise<void>>();
const endings = new Set<(key: ApiKey) => Promise<void>>();

/** The current session; components use `useSession`. */
export function session(): Session {
  return current;
}

/**
 * The part of a session that survives a reload. An admin's key could be stolen with all its rights, so it is never
 * stored. A key that is bound to a pair is useless without the pair's private key, which cannot be read.
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

/** Start a session. `remember`: it survives the tab; otherwise it is lost with it. */
export function begin(next: Session, remember: boolean): void {
  setRemembered(remember);
  for (const listener of beginnings) listener();
  change(next);
}

/** Call the listener before a session starts: data read with another key must not be shown in it. */
export function onBegin(listener: () => void): () => void {
  beginnings.add(listener);
  return () => beginnings.delete(listener);
}

/** Before a session starts, delete the tab's data of another holder whose key has expired. */
export async function clearOtherHolder(holder?: KeyHolder): Promise<void> {
  const { former } = current;
  if (former !== undefined && (holder === undefined || !isSameHolder(former, holder))) await signOut();
}

function isSameHolder(a: KeyHolder, b: KeyHolder): boolean {
  const isShared = (did: "supplierDid" | "implementerDid") => a[did] !== null && a[did] === b[did];
  return a.id === b.id || isShared("supplierDid") || isShared("implementerDid");
}

/** End a guest's session so that the guest can sign in; what the guest made in this tab stays. */
export function endGuestSession(): void {
  const { guest: _, ...rest } = current;
  change(rest);
}

/** Add to the session, such as a wallet that was connected later. */
export function extend(part: Partial<Session>): void {
  change({ ...current, ...part });
}

/** Update what is known about the current key. */
export function changeKey(part: Partial<ApiKey>): void {
  const { key } = current;
  if (key !== undefined) change({ ...current, key: { ...key, ...part } });
}

/** The wallet disconnected this site; the key's rights stay. */
export function dropWallet(): void {
  const { wallet: _, ...rest } = current;
  change(rest);
}

/** The server refused a key. Keep another key that is in use by now. */
export function clearKey(token: string): void {
  const { key, ...rest } = current;
  if (key?.token !== token) return;
  change({ ...rest, expired: true, former: key.holder });
}

/** Call it at sign-out, to delete the area's data. Returns a function that unsubscribes. */
export function onSignOut(cleanup: () => void | Promise<void>): () => void {
  cleanups.add(cleanup);
  return () => cleanups.delete(cleanup);
}

/** End the session and delete all its data. `reason`: shown to a user who did not sign out. */
export async function signOut(reason?: EndReason): Promise<void> {
  const { key } = current;
  await Promise.allSettled([...cleanups].map(async (cleanup) => cleanup()));
  forgetAll();
  current = reason === undefined ? {} : { ended: reason };
  for (const listener of listeners) listener();
  if (key !== undefined) await Promise.all([...endings].map((end) => end(key)));
}

/** Call it with the key after sign-out, to end its session on the server. Returns a function that unsubscribes. */
export function onEnd(end: (key: ApiKey) => Promise<void>): () => void {
  endings.add(end);
  return () => endings.delete(end);
}

onEndedInOtherTab(() => void signOut());

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useSession(): Session {
  return useStore(subscribe, session);
}

export { isRemembered };
