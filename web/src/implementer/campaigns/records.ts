import { type CampaignGroup, campaignGroups } from "../../../../wire/src/ids.ts";

export const groups = campaignGroups;
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
  groups: Record<CampaignGroup, GroupSummary>;
};

export type Campaign = Omit<CampaignSummary, "groups"> & {
  draw?: { blockNumber: number; blockHash: string; seed: string; transactionHash: string };
  groups: Record<CampaignGroup, GroupSummary & { sample: string[]; replacements: Replacement[] }>;
};
