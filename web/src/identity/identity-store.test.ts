import * as fakeIndexedDb from "fake-indexeddb";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { IdentityStore } from "./identity-store.ts";
import { KeyVault } from "./key-vault.ts";

function memory(): Pick<Storage, "getItem" | "setItem" | "removeItem"> {
  const items = new Map<string, string>();
  return {
    getItem: (name) => items.get(name) ?? null,
    setItem: (name, value) => void items.set(name, value),
    removeItem: (name) => void items.delete(name),
  };
}

describe("where the key is kept", () => {
  let device = memory();
  const openTab = () => new IdentityStore(new KeyVault(memory(), device));
  beforeEach(() => {
    // Only for this file: another test checks a browser without IndexedDB.
    for (const [name, value] of Object.entries(fakeIndexedDb)) vi.stubGlobal(name, value);
    device = memory();
  });
  afterEach(() => vi.unstubAllGlobals());

  it("is the tab, also before the key is made", async () => {
    const store = openTab();
    expect(store.keeping()).toBe("tab");
    await store.open();
    expect(store.keeping()).toBe("tab");
    await store.forget();
  });

  it("is known in a new tab before the key is loaded", async () => {
    const store = openTab();
    await store.open();
    await store.remember();
    expect(openTab().keeping()).toBe("device");
    await store.forget();
    expect(openTab().keeping()).toBe("tab");
  });

  it("is found again when the browser has lost the mark", async () => {
    const store = openTab();
    await store.open();
    await store.remember();
    device = memory();
    const next = openTab();
    expect(next.keeping()).toBe("tab");
    await next.open();
    expect(next.keeping()).toBe("device");
    await next.forget();
  });
});
