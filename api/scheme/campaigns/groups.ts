import { type CampaignGroup, campaignGroups } from "../../../wire/src/ids.ts";

/** The two groups of a campaign, in the order in which the contract numbers them. */
export const groups = campaignGroups;
export type Group = CampaignGroup;

/** A group as the contract numbers it. */
export const groupNumber: Record<Group, 0 | 1> = { reference: 0, intervention: 1 };

/** The group that the contract means by a number. */
export function groupOf(number: number): Group {
  return number === 0 ? "reference" : "intervention";
}

/** Every status of a campaign, in the order in which the contract numbers them from 1. */
export const campaignStatuses = ["committed", "drawn", "closed", "abandoned"] as const;

/** Why a household was dropped from a sample or is missing, in the order in which the contract numbers the reasons. */
export const dropReasons = ["other", "refused", "absent", "moved", "ineligible", "incomplete"] as const;
export type DropReason = (typeof dropReasons)[number];

/** Why a draw that was open does not count, in the order in which the contract numbers the reasons. */
export const discardReasons = ["secret-withheld", "block-lost", "campaign-abandoned"] as const;
export type DiscardReason = (typeof discardReasons)[number];
