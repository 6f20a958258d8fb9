import { beforeEach, describe, expect, it, vi } from "vitest";
import { forgetAll, isRemembered, keep, kept, onEndedInOtherTab, setRemembered } from "./vault.ts";

describe("the stored session", () => {
  beforeEach(() => {
    forgetAll();
    sessionStorage.clear();
    localStorage.clear();
  });

  it("is in the tab's storage unless the user chose otherwise", () => {
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

  it("is deleted at sign-out, but the device's settings are not", () => {
    localStorage.setItem("hearth.language", "fr");
    setRemembered(true);
    keep("session", { key: "hk_secret" });
    forgetAll();
    expect(kept("session")).toBeUndefined();
    expect(localStorage.getItem("hearth.language")).toBe("fr");
    expect(localStorage.length).toBe(1);
  });

  it("is deleted with all data of the pages in the tab, except the key of waiting orders", () => {
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

  it("ends when another tab ends it, unless this tab has a separate session", () => {
    let heard = 0;
    const stop = onEndedInOtherTab(() => heard++);
    const endElsewhere = () =>
      window.dispatchEvent(new StorageEvent("storage", { key: "hearth.remember", oldValue: "1", newValue: null }));
    endElsewhere();
    setRemembered(false);
    endElsewhere();
    stop();
    expect(heard).toBe(1);
  });

  it("is absent, rather than an earlier value, when the browser has no space for it", () => {
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
