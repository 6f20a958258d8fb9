import { useEffect, useState } from "react";
import { onSignOut } from "../session/session.ts";
import { useStore } from "../session/use-store.ts";
import { type Identity, IdentityStore } from "./identity-store.ts";

/** The user's key in this tab. */
export const identityStore = new IdentityStore();
onSignOut(() => identityStore.leaveTab());

/** The user's identity; undefined while it loads, `error` when this browser cannot store or use a key. */
export function useIdentity(): { identity: Identity | undefined; error: Error | undefined } {
  const identity = useStore(identityStore.subscribe, identityStore.current);
  const [error, setError] = useState<Error>();
  useEffect(() => {
    if (identity === undefined) identityStore.open().catch(setError);
  }, [identity]);
  return { identity, error };
}
