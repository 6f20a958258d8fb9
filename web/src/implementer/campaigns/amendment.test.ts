import { describe, expect, it } from "vitest";
import { stringifyExact } from "../../../../wire/src/exact.ts";
import { amendmentOf, amendmentProblems, blankAmendment, reasonProblem } from "./amendment.ts";
import type { Campaign } from "./records.ts";

const stratum = { id: "town", region: "Lusaka", sampleSize: 16 };
const frame = { root: "0x00", size: 20 };
const campaign = {
  season: "dry",
  externalFactors: { season: "dry", culturalEvents: [] },
  logConvention: "calendar-days",
  days: 3,
  sampling: {
    profile: "90/30",
    coefficientOfVariation: "0.3",
    dropOut: "0.025",
    secondParty: null,
    paired: null,
    strata: [{ ...stratum, frames: { reference: frame, intervention: frame } }],
  },
  emissions: { method: "smec-4", fuel: "wood", daf: "0.1", parameters: ["PRM-1"] },
} as unknown as Campaign;
const draft = { ...blankAmendment(campaign), reason: " The fuel was wrong " };

describe("an amendment", () => {
  it("has only the changed terms, each as a whole", () => {
    const emissions = { ...draft.emissions, fuel: "charcoal" };
    expect(stringifyExact(amendmentOf(campaign, { ...draft, emissions }))).toBe(
      '{"reason":"The fuel was wrong","emissions":{"method":"smec-4","fuel":"charcoal","daf":0.1,"parameters":["PRM-1"]}}',
    );
    expect(amendmentOf(campaign, { ...draft, season: "wet", days: 4, logConvention: "interval" })).toEqual({
      reason: "The fuel was wrong",
      season: "wet",
      days: 4,
      logConvention: "interval",
    });
  });

  it("repeats the strata, which were committed with the frames", () => {
    const sampling = { ...draft.sampling, dropOut: "5" };
    expect(draft.sampling.dropOut).toBe("2.5");
    expect(stringifyExact(amendmentOf(campaign, { ...draft, sampling }).sampling)).toBe(
      '{"profile":"90/30","coefficientOfVariation":0.3,"dropOut":0.05,"strata":[{"id":"town","region":"Lusaka","sampleSize":16}]}',
    );
  });

  it("keeps an empty list, which says that there was nothing", () => {
    expect(amendmentOf(campaign, { ...draft, occupationalFactors: ["harvest"] }).externalFactors).toEqual({
      season: "dry",
      culturalEvents: [],
      occupationalFactors: ["harvest"],
    });
  });

  it("changes something, and removes nothing that was committed", () => {
    expect(amendmentProblems(campaign, draft)).toEqual({ emissions: "unchanged" });
    expect(amendmentProblems(campaign, { ...draft, season: "", days: "" })).toEqual({ season: "kept", days: "kept" });
    const sampling = { ...draft.sampling, profile: "" as const, dropOut: "" };
    expect(amendmentProblems(campaign, { ...draft, sampling })).toEqual({ sampling: "kept" });
    const emissions = { ...draft.emissions, daf: "little" };
    expect(amendmentProblems(campaign, { ...draft, emissions })).toEqual({ emissions: "notReadable" });
  });

  it("has a reason of at most 256 bytes", () => {
    expect(reasonProblem("  ")).toBe("reasonMissing");
    expect(reasonProblem("é".repeat(128))).toBeUndefined();
    expect(reasonProblem(`${"é".repeat(128)}!`)).toBe("reasonLong");
  });
});
