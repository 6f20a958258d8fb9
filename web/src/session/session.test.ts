import { beforeEach, describe, expect, it } from "vitest";
import {
  begin,
  clearKey,
  endVisit,
  extend,
  type KeyHolder,
  leaveFormer,
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

  it("ends with its own key's refusal, and not with a late one of a key before it", () => {
    begin(keyOf("new"), false);
    clearKey("old");
    expect(session().key?.token).toBe("new");
    clearKey("new");
    expect(session()).toMatchObject({ expired: true });
    expect(session().key).toBeUndefined();
  });

  it("keeps an admin's key nowhere, and whose it was in its place", () => {
    for (const remember of [false, true]) {
      begin(keyOf("secret-of-admin", holderOf("admin-1")), remember);
      expect(session().key?.token).toBe("secret-of-admin");
      expect(JSON.stringify([{ ...localStorage }, { ...sessionStorage }])).not.toContain("secret-of-admin");
      expect(kept("session")).toMatchObject({ former: { id: "admin-1" } });
    }
    begin(keyOf("of-a-supplier", holderOf("s", "did:x:s")), false);
    expect(kept("session")).toMatchObject({ key: { token: "of-a-supplier" } });
  });

  it("shows nothing that was read in another's name", () => {
    const shown: unknown[] = [];
    const stop = onBegin(() => shown.push(session().key?.token));
    begin(keyOf("a"), false);
    extend({ wallet: { address: "0x1", id: "w", name: "W" } });
    begin(keyOf("b"), false);
    stop();
    expect(shown).toEqual([undefined, "a"]);
  });

  it("finds its drafts again after its key has ended, and nobody else does", async () => {
    const cleaned: string[] = [];
    const stop = onSignOut(() => void cleaned.push("identity"));
    begin(keyOf("a", holderOf("a", "did:x:s")), false);
    keep("draft", "of a");
    clearKey("a");
    await leaveFormer(holderOf("b", "did:x:s"));
    expect([kept("draft"), cleaned]).toEqual(["of a", []]);
    await leaveFormer(holderOf("c", "did:x:other"));
    expect([kept("draft"), cleaned]).toEqual([undefined, ["identity"]]);

    begin(keyOf("d"), false);
    keep("draft", "of d");
    clearKey("d");
    await leaveFormer();
    expect(kept("draft")).toBeUndefined();
    stop();
  });

  it("lets a guest go to sign in without losing what was made meanwhile", () => {
    begin({ guest: true }, false);
    keep("draft", "of a guest");
    endVisit();
    expect(session().guest).toBeUndefined();
    expect(kept("draft")).toBe("of a guest");
  });
});
