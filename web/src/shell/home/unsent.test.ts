import { expect, it } from "vitest";
import { unsentByCampaign } from "./unsent.ts";

it("counts a user's measurements on this device by campaign, and refused ones apart", () => {
  const measurements = [
    { campaignId: "DRY", holder: "key-1" },
    { campaignId: "WET", holder: "key-1", refused: ["wrong"] },
    { campaignId: "DRY", holder: "key-1" },
  ];
  expect(unsentByCampaign(measurements, "key-1")).toEqual([
    { campaignId: "DRY", waiting: 2, refused: 0 },
    { campaignId: "WET", waiting: 0, refused: 1 },
  ]);
  expect(unsentByCampaign([], "key-1")).toEqual([]);
});

it("shows nothing of the former user of a shared phone", () => {
  const measurements = [
    { campaignId: "THEIRS", holder: "key-1" },
    { campaignId: "OWN", holder: "key-2" },
  ];
  expect(unsentByCampaign(measurements, "key-2")).toEqual([{ campaignId: "OWN", waiting: 1, refused: 0 }]);
  expect(unsentByCampaign(measurements, undefined)).toEqual([]);
});
