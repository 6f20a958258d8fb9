import { describe, expect, it } from "vitest";
import { stringifyExact } from "../../../../wire/src/exact.ts";
import { blankSampling, blankStratum, type SamplingDraft, samplingOf, samplingProblems } from "./sampling-terms.ts";

const sent = (draft: Partial<SamplingDraft>) => {
  const sampling = samplingOf({ ...blankSampling, ...draft });
  return sampling === undefined ? undefined : (JSON.parse(stringifyExact(sampling)) as unknown);
};
const usual = { coefficientOfVariation: 0.5, dropOut: 0 };
const problems = (draft: Partial<SamplingDraft>) => samplingProblems({ ...blankSampling, ...draft });

describe("the sampling of a campaign", () => {
  it("is absent without a profile, and else has what was typed", () => {
    expect(sent({})).toBeUndefined();
    expect(sent({ profile: "90/10" })).toEqual({ profile: "90/10", ...usual });
    expect(sent({ profile: "95/5", variation: "0,4", dropOut: "12,5", secondParty: " 0xab " })).toEqual({
      profile: "95/5",
      coefficientOfVariation: 0.4,
      dropOut: 0.125,
      secondParty: "0xab",
    });
  });

  it("has strata by region and people, and pairs of periods", () => {
    const strata = [
      { ...blankStratum, id: "town", region: "Lusaka", sampleSize: "20" },
      { ...blankStratum, id: "large", from: "6", sampleSize: "15" },
    ];
    expect(sent({ profile: "90/10", strata })).toEqual({
      profile: "90/10",
      ...usual,
      strata: [
        { id: "town", region: "Lusaka", sampleSize: 20 },
        { id: "large", people: { from: 6 }, sampleSize: 15 },
      ],
    });
    const before = { startDate: "2026-01-01", endDate: "2026-01-10" };
    const after = { startDate: "2026-03-01", endDate: "2026-03-10" };
    expect(sent({ profile: "90/10", isPaired: true, before, after })).toEqual({
      profile: "90/10",
      ...usual,
      paired: { before, after },
    });
  });

  it("names the fields that cannot be sent", () => {
    expect(problems({})).toEqual([]);
    expect(problems({ dropOut: "1,234", variation: "0", isPaired: true })).toEqual([
      "profile",
      "variation",
      "dropOut",
      "pairs",
    ]);
    const strata = [
      { ...blankStratum, id: "town", sampleSize: "2.5" },
      { ...blankStratum, id: "a", from: "x", sampleSize: "3" },
      { ...blankStratum, id: "b", region: "R", sampleSize: "3" },
    ];
    expect(problems({ profile: "90/10", strata })).toEqual(["stratum.0", "stratum.1"]);
  });
});
