import { describe, expect, it } from "vitest";
import {
  blankMissing,
  blankVisit,
  foundOf,
  missingOf,
  missingProblems,
  visitOf,
  visitProblems,
} from "./usage-records.ts";

const position = { position: 4, householdId: "did:x:stove/1" };
const draft = { ...blankVisit("did:key:z6MkSurveyor", new Date(2025, 1, 3)), uri: " https://photos.example/1.jpg " };

describe("a visit of the usage survey", () => {
  it("has the hash of its photo, and not the photo", async () => {
    const photo = new File(["a photo"], "stove.jpg", { type: "image/jpeg" });
    expect(await visitOf(position, { ...draft, photo, note: " at noon " })).toEqual({
      position: 4,
      householdId: "did:x:stove/1",
      deviceSeen: true,
      inUse: true,
      date: "2025-02-03",
      surveyorDid: "did:key:z6MkSurveyor",
      evidence: [
        {
          uri: "https://photos.example/1.jpg",
          sha256: "d4e24d749a4fe2f161af2de913c0402b04e3ae287dafd0f9dbfa4a5c56c69285",
        },
      ],
      note: "at noon",
    });
    expect(await visitOf(position, draft)).not.toHaveProperty("note");
  });

  it("does not find a device in use that was not seen", () => {
    expect(foundOf(false, draft)).toEqual({ deviceSeen: false, inUse: false });
    expect(foundOf(true, { ...draft, inUse: false })).toEqual({ deviceSeen: true, inUse: false });
  });

  it("needs a day, a surveyor's DID and a link to the photo", () => {
    expect(visitProblems(draft)).toEqual({});
    expect(visitProblems({ ...draft, date: "", surveyorDid: "Ada", uri: "data:image/png;base64,AA" })).toEqual({
      date: "date",
      surveyorDid: "did",
      uri: "uri",
    });
  });
});

describe("a missing device", () => {
  it("needs evidence for another reason", () => {
    expect(missingProblems(blankMissing)).toEqual({});
    expect(missingProblems({ ...blankMissing, reason: "other" })).toEqual({ uri: "uri" });
    expect(missingProblems({ ...blankMissing, uri: "no link" })).toEqual({ uri: "uri" });
    expect(missingOf(position, blankMissing)).toEqual({ position: 4, reason: "absent" });
    expect(missingOf(position, { reason: "other", uri: "https://x.example/1", note: " moved " })).toEqual({
      position: 4,
      reason: "other",
      evidence: [{ uri: "https://x.example/1" }],
      note: "moved",
    });
  });
});
