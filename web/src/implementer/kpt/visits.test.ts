import { describe, expect, it } from "vitest";
import { nextVisit, visitsOf } from "./visits.ts";

const position = (group: "reference" | "intervention", householdId: string | null, ended = "open") => ({
  claimIds: [],
  ended: ended as "open",
  evidence: null,
  group,
  householdId,
  position: 0,
  reason: null,
  replacedBy: null,
  stratum: null,
});
const waiting = (householdId: string, campaignId = "C") => ({
  id: "1",
  campaignId,
  householdId,
  testGroup: "reference" as const,
  body: "{}",
  holder: "k",
});

describe("the visits of a campaign", () => {
  const positions = [
    position("reference", "a", "measured"),
    position("reference", "b"),
    position("reference", "c"),
    position("reference", "d", "replaced"),
    position("reference", null),
    position("intervention", "e", "missing"),
    position("intervention", "f"),
  ];

  it("leave out who is replaced, missing or unknown, and mark who is measured", () => {
    const visits = visitsOf(positions, [waiting("c"), waiting("b", "OTHER")], "C");
    expect(visits.map(({ householdId, state }) => [householdId, state])).toEqual([
      ["a", "measured"],
      ["b", "open"],
      ["c", "waiting"],
      ["f", "open"],
    ]);
  });

  it("continue after the last one in its group, then from its start, then in the other group", () => {
    const visits = visitsOf(positions, [], "C");
    expect(nextVisit(visits, "reference")?.householdId).toBe("b");
    expect(nextVisit(visits, "reference", "b")?.householdId).toBe("c");
    expect(nextVisit(visits, "reference", "c")?.householdId).toBe("b");
    expect(nextVisit(visits, "intervention", "f")?.householdId).toBe("b");
    const last = visitsOf(positions, [waiting("b"), waiting("c")], "C");
    expect(nextVisit(last, "reference", "c")?.householdId).toBe("f");
    expect(nextVisit(visitsOf([positions[0] as never], [], "C"), "reference")).toBeUndefined();
  });
});
