import { type Address, type Hex, keccak256 } from "viem";
import type { campaignStatuses, Group } from "./groups.ts";
import type { StoredCampaign } from "./tables.ts";

export type CampaignStatus = (typeof campaignStatuses)[number];

/** What the chain says of a campaign now. */
export type CampaignState = {
  status: CampaignStatus;
  /** Block whose hash is part of the seed; null before the draw is open. */
  drawBlock: number | null;
  /** Whether two parties drew; false until the draw. */
  twoParties: boolean;
  /** The contract's seed; null until the draw. */
  seed: Hex | null;
  /** By group, the first position that is neither in the sample nor a replacement. 0 until the draw. */
  drawnTo: Record<Group, number>;
  /** Claims recorded and not revoked, by group. */
  claims: Record<Group, number>;
  /** Drawn positions that have not ended: neither measured nor replaced nor missing. */
  openPositions: number;
  /** Positions that ended as missing, by group. */
  missing: Record<Group, number>;
  /** 1, and one more with each amendment of the terms. */
  termsVersion: number;
  /** Null until the campaign is closed. */
  resultHash: Hex | null;
  /** Index of the certificate that was made of the result; null when there is none. */
  certificate: number | null;
};

/** A party of a draw. */
export type DrawParty = {
  account: Address;
  commitment: Hex;
  /** Null until it is revealed. */
  secret: Hex | null;
};

/** The current round of a campaign's draw. */
export type DrawRound = {
  /** 0, and one more with each repetition. */
  round: number;
  /** Null before the draw is open. */
  operator: DrawParty | null;
  secondParty: DrawParty | null;
  /** When the time to reveal is over, unix seconds; null before the draw is open. */
  deadline: number | null;
};

/** A campaign: what never changes of it, and what the chain says of it now. */
export type CampaignRow = StoredCampaign &
  CampaignState & {
    frameSizes: Record<Group, number>;
    /**
     * What orders the households: the contract's seed, with the randomness of a public beacon where the terms commit one. Null until the
     * draw, and until the beacon's round is known here.
     */
    orderSeed: Hex | null;
  };

/**
 * A household in a group's frame, at its position in the order of the draw. Sampled: in the sample now; replaced: was in it;
 * missing: is in it and ended without a measurement; reserve: may still come to replace somebody.
 */
export type Member = {
  campaign: number;
  group: Group;
  position: number;
  leaf: Hex;
  did: string;
  status: "sampled" | "replaced" | "missing" | "reserve";
};

/** A household of a frame in the order of the draw. */
export type FrameMember = { position: number; leaf: Hex; did: string };

/** The Merkle root of a group's frame. A paired design has one frame, that of the reference group. */
export function frameRootOf(row: StoredCampaign, group: Group): Hex {
  const isReference = group === "reference" || row.terms.sampling?.paired !== undefined;
  return (isReference ? row.referenceRoot : row.interventionRoot) as Hex;
}

/** The root that the chain has of a group. */
export function committedRootOf(row: StoredCampaign, group: Group): Hex {
  return (group === "reference" ? row.referenceRoot : row.interventionRoot) as Hex;
}

/** What a paired design commits for its intervention group: the chain refuses one root for both groups. */
export function pairedRootOf(referenceRoot: Hex): Hex {
  return keccak256(referenceRoot);
}

export function frameSizeOf(row: StoredCampaign, group: Group): number {
  return group === "reference" ? row.referenceSize : row.interventionSize;
}
