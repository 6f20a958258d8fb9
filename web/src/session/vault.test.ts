import { beforeEach, describe, expect, it } from "vitest";
import { forgetAll, keep, kept, setRemembered } from "./vault.ts";

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
});
