/**
 * Where the session and what belongs to it is kept: in sessionStorage, which dies with the tab, and in localStorage only when
 * the person chose to be remembered on this device.
 */
const prefix = "hearth.kept.";
const choice = "hearth.remember";

export function isRemembered(): boolean {
  return localStorage.getItem(choice) === "1";
}

function storage(): Storage {
  return isRemembered() ? localStorage : sessionStorage;
}

/** Keep a value of the session; undefined forgets it. */
export function keep(name: string, value: unknown): void {
  if (value === undefined) storage().removeItem(prefix + name);
  else storage().setItem(prefix + name, JSON.stringify(value));
}

export function kept<T>(name: string): T | undefined {
  const text = storage().getItem(prefix + name);
  return text === null ? undefined : (JSON.parse(text) as T);
}

/** Choose where things are kept from now on; what is kept moves along. */
export function setRemembered(remember: boolean): void {
  if (remember === isRemembered()) return;
  const from = storage();
  if (remember) localStorage.setItem(choice, "1");
  else localStorage.removeItem(choice);
  const to = storage();
  for (const key of keysOf(from)) {
    to.setItem(key, from.getItem(key) ?? "");
    from.removeItem(key);
  }
}

export function forgetAll(): void {
  for (const each of [sessionStorage, localStorage]) for (const key of keysOf(each)) each.removeItem(key);
  localStorage.removeItem(choice);
}

function keysOf(from: Storage): string[] {
  return Array.from({ length: from.length }, (_, index) => from.key(index) ?? "").filter((key) =>
    key.startsWith(prefix),
  );
}
