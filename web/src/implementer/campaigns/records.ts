import type { CampaignFacts, Group } from "../kpt/kpt-rules.ts";

export const groups = ["reference", "intervention"] as const satisfies Group[];
export const dropReasons = ["refused", "absent", "moved", "ineligible", "incomplete", "other"] as const;

type Factors = { season?: string; culturalEvents?: string[]; occupationalFactors?: string[] };
type GroupSummary = { frameSize: number; drawn: number; claims: number };
export type Replacement = {
  dropped: { householdId: string | null; position: number };
  replacement: { householdId: string | null; position: number };
  reason: string;
  transactionHash: string;
};

export type CampaignSummary = {
  campaignId: string;
  planId: string;
  implementerDid: string | null;
  status: "committed" | "drawn" | "closed";
  testPeriod: { startDate: string; endDate: string };
  sampleSize: number;
  season: string | null;
  externalFactors: Factors | null;
  commit: {
    blockNumber: number;
    transactionHash: string;
    referenceRoot: string;
    interventionRoot: string;
    drawBlock: number;
  };
  transactionHash: string;
  groups: Record<Group, GroupSummary>;
};

export type Campaign = Omit<CampaignSummary, "groups"> & {
  draw?: { blockNumber: number; blockHash: string; seed: string; transactionHash: string };
  groups: Record<Group, GroupSummary & { sample: string[]; replacements: Replacement[] }>;
};

/** What the form of a measurement checks against. */
export function factsOf(campaign: Campaign): CampaignFacts {
  const of = <T>(pick: (group: Campaign["groups"][Group]) => T) => ({
    reference: pick(campaign.groups.reference),
    intervention: pick(campaign.groups.intervention),
  });
  return {
    campaignId: campaign.campaignId,
    isDrawn: campaign.status !== "committed",
    testPeriod: campaign.testPeriod,
    season: campaign.season,
    externalFactors: campaign.externalFactors,
    samples: of(({ sample }) => sample),
    replaced: of(({ replacements }) => replacements.flatMap(({ dropped }) => dropped.householdId ?? [])),
    hasReferenceClaims: campaign.groups.reference.claims > 0,
  };
}
