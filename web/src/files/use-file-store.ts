import { useMemo } from "react";
import { useIdentity } from "../identity/identity.ts";
import type { Identity } from "../identity/identity-store.ts";
import { useStore } from "../session/use-store.ts";
import { FileStore } from "./file-store.ts";

let revealed = false;
const listeners = new Set<() => void>();

/** Whether the pages show hidden files. */
export function useReveal(): [boolean, (reveal: boolean) => void] {
  const reveal = useStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => revealed,
  );
  return [reveal, setReveal];
}

function setReveal(reveal: boolean): void {
  revealed = reveal;
  for (const listener of listeners) listener();
}

export type OpenFiles = { store: FileStore; identity: Identity };

/** The file store, called with the user's key; undefined until the key is loaded. */
export function useFileStore(): { files: OpenFiles | undefined; error: Error | undefined } {
  const { identity, error } = useIdentity();
  const [reveal] = useReveal();
  const files = useMemo(
    () => (identity === undefined ? undefined : { identity, store: new FileStore(identity.key, reveal) }),
    [identity, reveal],
  );
  return { files, error };
}
