import { onSignOut } from "../session/session.ts";
import { useStore } from "../session/use-store.ts";
import { storageName } from "./panel-name.ts";

/** Whether the panel with the oracle is open, and its session; blank: the newest session. It survives a reload. */
export type Panel = { isOpen: boolean; sessionId: string };
const closed: Panel = { isOpen: false, sessionId: "" };

let shown = read();
const listeners = new Set<() => void>();

function read(): Panel {
  const [state, sessionId = ""] = (sessionStorage.getItem(storageName) ?? "").split(" ");
  return state === "open" ? { isOpen: true, sessionId } : closed;
}

export function changePanel(part: Partial<Panel>): void {
  shown = { ...shown, ...part };
  if (shown.isOpen) sessionStorage.setItem(storageName, `open ${shown.sessionId}`);
  else sessionStorage.removeItem(storageName);
  for (const listener of listeners) listener();
}

/** Whether the screen is so narrow that the panel covers the page. */
export const panelCovers = (): boolean => window.matchMedia("(max-width: 62em)").matches;

export function usePanel(): Panel {
  return useStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => shown,
  );
}

onSignOut(() => changePanel(closed));
