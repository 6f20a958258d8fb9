import { useEffect, useState, useSyncExternalStore } from "react";
import { onSignOut } from "../session/session.ts";
import { type Identity, IdentityStore } from "./identity-store.ts";

/** The user's key in this tab. */
export const identityStore = new IdentityStore();
onSignOut(() => identityStore.leaveTab());

/** The user's identity; undefined while it loads, `error` when this browser cannot store or use a key. */
export function useIdentity(): { identity: Identity | undefined; error: Error | undefined } {
  const identity = useSyncExternalStore(identityStore.subscribe, identityStore.current);
  const [error, setError] = useState<Error>();
  useEffect(() => {
    if (identity === undefined) identityStore.open().catch(setError);
  }, [identity]);
  return { identity, error };
}
