import { beforeEach, describe, expect, it, vi } from "vitest";
import { forgetAll, isRemembered, keep, kept, onForgottenElsewhere, setRemembered } from "./vault.ts";

describe("what is kept of a session", () => {
  beforeEach(() => {
    forgetAll();
    sessionStorage.clear();
    localStorage.clear();
  });

  it("lies in the tab's own storage unless the person chose otherwise", () => {
    keep("session", { key: "hk_secret" });
    expect(JSON.stringify({ ...localStorage })).not.toContain("hk_secret");
    expect(kept("session")).toEqual({ key: "hk_secret" });
    setRemembered(true);
    expect(JSON.stringify({ ...localStorage })).toContain("hk_secret");
    expect(JSON.stringify({ ...sessionStorage })).not.toContain("hk_secret");
    setRemembered(false);
    expect(JSON.stringify({ ...localStorage })).not.toContain("hk_secret");
    expect(kept("session")).toEqual({ key: "hk_secret" });
  });

  it("is gone after signing out, and other settings of the device are not", () => {
    localStorage.setItem("hearth.language", "fr");
    setRemembered(true);
    keep("session", { key: "hk_secret" });
    forgetAll();
    expect(kept("session")).toBeUndefined();
    expect(localStorage.getItem("hearth.language")).toBe("fr");
    expect(localStorage.length).toBe(1);
  });

  it("takes everything along that pages have put into the tab, but the key of orders that wait", () => {
    for (const name of ["identity.key", "files.minted", "files.draft.FILE-1", "chat.draft.1", "supplier.queue-key"])
      sessionStorage.setItem(`hearth.${name}`, "secret");
    forgetAll();
    expect(Object.keys(sessionStorage)).toEqual(["hearth.supplier.queue-key"]);
  });

  it("stays in the tab that chose so, also when another tab chooses to be remembered", () => {
    setRemembered(false);
    keep("session", { key: "hk_secret" });
    localStorage.setItem("hearth.remember", "1");
    localStorage.setItem("hearth.kept.session", JSON.stringify({ key: "hk_other" }));
    expect(kept("session")).toEqual({ key: "hk_secret" });
    keep("session", { key: "hk_secret", wallet: "0x1" });
    expect(JSON.stringify({ ...localStorage })).not.toContain("hk_secret");
    expect(isRemembered()).toBe(false);
  });

  it("ends here when another tab has ended it, unless this tab has a session of its own", () => {
    let heard = 0;
    const stop = onForgottenElsewhere(() => heard++);
    const endElsewhere = () =>
      window.dispatchEvent(new StorageEvent("storage", { key: "hearth.remember", oldValue: "1", newValue: null }));
    endElsewhere();
    setRemembered(false);
    endElsewhere();
    stop();
    expect(heard).toBe(1);
  });

  it("is nothing, rather than an earlier value, when the browser has no room for it", () => {
    expect(keep("draft", "short")).toBe(true);
    vi.spyOn(Storage.prototype, "setItem").mockImplementationOnce(() => {
      throw new DOMException("Full.", "QuotaExceededError");
    });
    expect(keep("draft", "long".repeat(10))).toBe(false);
    expect(kept("draft")).toBeUndefined();
    vi.spyOn(Storage.prototype, "setItem").mockImplementationOnce(() => {
      throw new DOMException("Never.", "SecurityError");
    });
    expect(() => keep("draft", "x")).toThrow("Never.");
  });
});
