import type { CampaignGroup } from "../../../wire/src/ids.ts";

/** A standing claim, as a campaign's result counts it: its place in the draw, first and last day, grams. */
export type VerifiedClaim = {
  id: string;
  group: CampaignGroup;
  position: number;
  startDate: string;
  endDate: string;
  totalGrams: bigint;
  /** Number of daily logs. */
  logs: number;
};

/** Reads the claims that a campaign's result is calculated from. */
export type VerifiedClaims = { verifiedClaims(campaign: number): Promise<VerifiedClaim[]> };
