import type { CampaignGroup } from "../../../wire/src/ids.ts";
import type { KptPeopleFed } from "../../../wire/src/kpt-visits.ts";
import type { FuelId } from "../emissions/index.ts";

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
  /** Of a claim with visits: grams (Wh of electricity) of each fuel as decimal text; null for one of a single fuel. */
  fuels: Readonly<Partial<Record<FuelId, string>>> | null;
  /** Of a claim that counts dry mass: grams of solid biomass as weighed; `fuels` has the dry mass. */
  weighed?: Readonly<Partial<Record<FuelId, string>>>;
  /** Of a claim with visits: the people that they fed; absent from claims that were filed before these were kept. */
  fed?: Readonly<KptPeopleFed>;
};

/** A claim that the chain has, with everything that proves it. */
export type ClaimOnRecord = VerifiedClaim & {
  status: "verified" | "revoked";
  /** Why it was revoked. */
  reason: string | null;
  /** The household's keyed hash: its leaf in the frame. */
  householdHash: string;
  /** SHA-256 of the claim's file, as on chain. */
  claimHash: string;
  /** SHA-256 of the credential, as on chain. */
  credentialHash: string;
  /** Compact JWT. */
  credential: string;
  /** ipfs URIs: the claim's file first, then its evidence. */
  evidence: string[];
  transactionHash: string;
  blockNumber: number;
};

/** A claim with the marks of its evidence that others have too; see evidence-marks.ts. */
export type ClaimEvidence = Pick<VerifiedClaim, "id" | "group" | "position"> & { marks: string[] };

/** `marks`: those of the campaign's other records. `foreign`: those of the records of other campaigns. */
export type MarksToCompare = { marks: readonly string[]; foreign: readonly string[] };

/** `elsewhere`: marks that valid claims of other campaigns have. */
export type ComparedEvidence = { claims: ClaimEvidence[]; elsewhere: { campaignId: string; mark: string }[] };

/** How the series of stove-use monitors are counted, and what they show in comparison with the logs of their claims. */
export type StoveUseOnRecord = {
  rule: Record<string, unknown>;
  series: ({ claimId: string } & Record<string, unknown>)[];
};

/** Reads the claims that a campaign's result is calculated from. */
export type VerifiedClaims = {
  verifiedClaims(campaign: number): Promise<VerifiedClaim[]>;
  /** Claims of a campaign that were revoked. */
  revokedClaims(campaign: number): Promise<Pick<VerifiedClaim, "id" | "group" | "position">[]>;
  /** Compare the evidence of a campaign's valid claims with each other, with the marks, and with other campaigns. */
  comparedEvidence(campaign: number, marks: MarksToCompare): Promise<ComparedEvidence>;
  /** Every claim of a campaign that the chain has, the revoked ones too, in the order of their ids. */
  claimsOnRecord(campaign: number): Promise<ClaimOnRecord[]>;
  /** The series of the same claims, by claim and place in its evidence. */
  stoveUseOnRecord(campaign: number): Promise<StoveUseOnRecord>;
};
