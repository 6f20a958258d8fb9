/**
 * Storage of the session and its data: sessionStorage, which is lost with the tab, or localStorage if the user chose to
 * be remembered on this device.
 */
export const prefix = "hearth.kept.";
export const choice = "hearth.remember";
/** Set in a tab that chose not to be remembered, whatever another tab chooses. */
export const tabOnly = "hearth.tab-only";
/** Kept in the tab after sign-out: the key of waiting orders. It is useless without the supplier's own key. */
const outliving = "hearth.supplier.queue-key";

export function isRemembered(): boolean {
  return localStorage.getItem(choice) === "1" && sessionStorage.getItem(tabOnly) === null;
}

function storage(): Storage {
  return isRemembered() ? localStorage : sessionStorage;
}

/** Store a value of the session; undefined deletes it. Returns whether it survives a reload. */
export function keep(name: string, value: unknown): boolean {
  if (value !== undefined) return storeText(storage(), prefix + name, JSON.stringify(value));
  storage().removeItem(prefix + name);
  return true;
}

/**
 * Store a text, unless it is too large for the browser's quota. Then nothing is stored under the name, since an earlier
 * text would be mistaken for this one. Returns whether it is stored.
 */
export function storeText(to: Storage, name: string, text: string): boolean {
  try {
    to.setItem(name, text);
    return true;
  } catch (error) {
    if (!(error instanceof DOMException) || error.name !== "QuotaExceededError") throw error;
    to.removeItem(name);
    return false;
  }
}

export function kept<T>(name: string): T | undefined {
  const text = storage().getItem(prefix + name);
  return text === null ? undefined : (JSON.parse(text) as T);
}

/** Choose where to store the session from now on, and move what is stored. */
export function setRemembered(remember: boolean): void {
  const from = storage();
  if (remember) {
    localStorage.setItem(choice, "1");
    sessionStorage.removeItem(tabOnly);
  } else {
    if (from === localStorage) localStorage.removeItem(choice);
    sessionStorage.setItem(tabOnly, "1");
  }
  const to = storage();
  if (from === to) return;
  for (const key of keysOf(from)) {
    to.setItem(key, from.getItem(key) ?? "");
    from.removeItem(key);
  }
}

/** Delete the session and all data that pages have stored in the tab, so that the next user finds none of it. */
export function forgetAll(): void {
  for (const key of keysOf(sessionStorage, "hearth.")) if (key !== outliving) sessionStorage.removeItem(key);
  for (const key of keysOf(localStorage)) localStorage.removeItem(key);
  localStorage.removeItem(choice);
}

/** Call the listener when another tab has ended the shared session. Returns a function that unsubscribes. */
export function onEndedInOtherTab(hear: () => void): () => void {
  const listen = ({ key, newValue }: StorageEvent) => {
    const isShared = sessionStorage.getItem(tabOnly) === null;
    if (key === choice && newValue === null && isShared) hear();
  };
  window.addEventListener("storage", listen);
  return () => window.removeEventListener("storage", listen);
}

function keysOf(from: Storage, beginning = prefix): string[] {
  const keys = Array.from({ length: from.length }, (_, index) => from.key(index) ?? "");
  return keys.filter((key) => key.startsWith(beginning));
}
