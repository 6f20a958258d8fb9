import { beforeEach, describe, expect, it } from "vitest";
import {
  begin,
  clearKey,
  clearOtherHolder,
  endGuestSession,
  extend,
  type KeyHolder,
  onBegin,
  onSignOut,
  session,
  signOut,
} from "./session.ts";
import { keep, kept } from "./vault.ts";

const holderOf = (id: string, supplierDid: string | null = null): KeyHolder => ({
  ...{
    id,
    role: supplierDid === null ? "admin" : "supplier",
    supplierDid,
    implementerDid: null,
    scopes: [],
    dids: null,
  },
});
const keyOf = (token: string, holder = holderOf(token)) => ({ key: { token, holder } });

describe("a session", () => {
  beforeEach(signOut);

  it("ends when its own key is refused, and not on a late refusal of an earlier key", () => {
    begin(keyOf("new"), false);
    clearKey("old");
    expect(session().key?.token).toBe("new");
    clearKey("new");
    expect(session()).toMatchObject({ expired: true });
    expect(session().key).toBeUndefined();
  });

  it("stores no admin key, only who held it", () => {
    for (const remember of [false, true]) {
      begin(keyOf("secret-of-admin", holderOf("admin-1")), remember);
      expect(session().key?.token).toBe("secret-of-admin");
      expect(JSON.stringify([{ ...localStorage }, { ...sessionStorage }])).not.toContain("secret-of-admin");
      expect(kept("session")).toMatchObject({ former: { id: "admin-1" } });
    }
    begin(keyOf("of-a-supplier", holderOf("s", "did:x:s")), false);
    expect(kept("session")).toMatchObject({ key: { token: "of-a-supplier" } });
  });

  it("shows no data that was read with another key", () => {
    const shown: unknown[] = [];
    const stop = onBegin(() => shown.push(session().key?.token));
    begin(keyOf("a"), false);
    extend({ wallet: { address: "0x1", id: "w", name: "W" } });
    begin(keyOf("b"), false);
    stop();
    expect(shown).toEqual([undefined, "a"]);
  });

  it("restores its drafts after its key has expired, and only for the same holder", async () => {
    const cleaned: string[] = [];
    const stop = onSignOut(() => void cleaned.push("identity"));
    begin(keyOf("a", holderOf("a", "did:x:s")), false);
    keep("draft", "of a");
    clearKey("a");
    await clearOtherHolder(holderOf("b", "did:x:s"));
    expect([kept("draft"), cleaned]).toEqual(["of a", []]);
    await clearOtherHolder(holderOf("c", "did:x:other"));
    expect([kept("draft"), cleaned]).toEqual([undefined, ["identity"]]);

    begin(keyOf("d"), false);
    keep("draft", "of d");
    clearKey("d");
    await clearOtherHolder();
    expect(kept("draft")).toBeUndefined();
    stop();
  });

  it("lets a guest sign in without losing unsaved work", () => {
    begin({ guest: true }, false);
    keep("draft", "of a guest");
    endGuestSession();
    expect(session().guest).toBeUndefined();
    expect(kept("draft")).toBe("of a guest");
  });
});
