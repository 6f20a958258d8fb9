import { describe, expect, it } from "vitest";
import { stringifyExact } from "../../../../wire/src/exact.ts";
import { blankTerms, termsOf, unreadableTerms } from "./emissions-terms.ts";

describe("the terms of a reduction", () => {
  it("are nothing while nothing was told", () => {
    expect(termsOf(blankTerms)).toBeUndefined();
  });

  it("keep every digit, and take a comma", () => {
    const draft = { ...blankTerms, fuel: "wood", units: "1000", daf: "0,10000000000001", surveyed: "30", inUse: "28" };
    expect(unreadableTerms(draft)).toEqual([]);
    expect(stringifyExact(termsOf(draft))).toBe(
      '{"fuel":"wood","units":1000,"daf":0.10000000000001,"usageSurvey":{"surveyed":30,"inUse":28}}',
    );
  });

  it("name what is no number", () => {
    expect(unreadableTerms({ ...blankTerms, units: "many", life: "1e3", vintage: "2025.5", he: "-1" })).toEqual([
      "units",
      "life",
      "vintage",
    ]);
  });
});
