/** Key of the query for a campaign's findings. */
export const findingsKey = (campaignId: string) => ["implementer", "campaigns", campaignId, "findings"];
