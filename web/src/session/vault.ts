/**
 * Where the session and what belongs to it is kept: in sessionStorage, which dies with the tab, and in localStorage only when
 * the person chose to be remembered on this device.
 */
const prefix = "hearth.kept.";
const choice = "hearth.remember";
/** In the tab that chose not to be remembered, whatever another tab of the device chooses. */
const tabOnly = "hearth.tab-only";
/** Of the tab, and yet there after signing out: the key of orders that wait. It opens nothing without the supplier's own key. */
const outliving = "hearth.supplier.queue-key";

export function isRemembered(): boolean {
  return localStorage.getItem(choice) === "1" && sessionStorage.getItem(tabOnly) === null;
}

function storage(): Storage {
  return isRemembered() ? localStorage : sessionStorage;
}

/** Keep a value of the session; undefined forgets it. Answers whether a reload will find it. */
export function keep(name: string, value: unknown): boolean {
  if (value !== undefined) return storeText(storage(), prefix + name, JSON.stringify(value));
  storage().removeItem(prefix + name);
  return true;
}

/**
 * Put a text where it is found after a reload, unless it is too large for what the browser gives a site: then nothing is kept
 * under the name, as an earlier text would be taken for this one. Answers whether it is kept.
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

/** Choose where things are kept from now on; what is kept moves along. */
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

/** Forget the session, and all that any page has put into the tab: whoever comes next finds nothing of it. */
export function forgetAll(): void {
  for (const key of keysOf(sessionStorage, "hearth.")) if (key !== outliving) sessionStorage.removeItem(key);
  for (const key of keysOf(localStorage)) localStorage.removeItem(key);
  localStorage.removeItem(choice);
}

/** Told when another tab has ended the session that this one shares with it. Answers the way to unsubscribe. */
export function onForgottenElsewhere(hear: () => void): () => void {
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
