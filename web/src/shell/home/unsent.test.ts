import { expect, it } from "vitest";
import { unsentByCampaign } from "./unsent.ts";

it("counts the measurements of this device by campaign, and refused ones apart", () => {
  const measurements = [{ campaignId: "DRY" }, { campaignId: "WET", refused: ["wrong"] }, { campaignId: "DRY" }];
  expect(unsentByCampaign(measurements)).toEqual([
    { campaignId: "DRY", waiting: 2, refused: 0 },
    { campaignId: "WET", waiting: 0, refused: 1 },
  ]);
  expect(unsentByCampaign([])).toEqual([]);
});
