import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { emptyKey, keyBody, keyProblems } from "./key-draft.ts";
import { isScope, scopeGroups } from "./scopes.ts";

const now = Date.parse("2026-11-28T12:00:00Z");

describe("the form of a program's key", () => {
  it("offers every scope of the API once", () => {
    const openapi = JSON.parse(readFileSync(join(import.meta.dirname, "../../../../openapi.json"), "utf8"));
    const scopes: string[] = openapi.components.schemas.NewApiKey.properties.scopes.items.enum;
    expect(scopeGroups.flatMap(([, each]) => each).sort()).toEqual([...scopes].sort());
    expect(scopes.every(isScope)).toBe(true);
    expect(isScope("toString")).toBe(false);
  });

  it("leaves out what is empty, and sends each entry of a list once", () => {
    expect(keyBody({ ...emptyKey, name: " ERP " })).toEqual({ role: "integrator", name: "ERP", scopes: [] });
    const draft = { ...emptyKey, name: "ERP", dids: [" did:x:a", "did:x:a", " "], requestsPerMinute: "60" };
    expect(keyBody(draft)).toMatchObject({ dids: ["did:x:a"], requestsPerMinute: 60 });
  });

  it("is for everyone only if the administrator says so", () => {
    expect(keyProblems(emptyKey, now)).toEqual({ dids: "keys.didsMissing" });
    expect(keyProblems({ ...emptyKey, dids: [" "] }, now)).toEqual({ dids: "keys.didsMissing" });
    const forAll = { ...emptyKey, dids: ["did:x:a"], isForAll: true };
    expect(keyProblems(forAll, now)).toEqual({});
    expect(keyBody(forAll)).not.toHaveProperty("dids");
  });

  it("ends with the chosen day, where the administrator is", () => {
    const { expiresAt } = keyBody({ ...emptyKey, lastDay: "2026-12-31" });
    expect(expiresAt).toBe(new Date(2026, 11, 31, 23, 59, 59).toISOString());
  });

  it("names what is wrong", () => {
    expect(keyProblems({ ...emptyKey, dids: ["did:x:a"] }, now)).toEqual({});
    const wrong = { ...emptyKey, dids: ["stove shop"], lastDay: "2026-11-26", requestsPerMinute: "1000001" };
    expect(keyProblems(wrong, now)).toEqual({
      dids: "keys.didWrong",
      lastDay: "keys.expiryWrong",
      requestsPerMinute: "keys.rateWrong",
    });
  });
});
