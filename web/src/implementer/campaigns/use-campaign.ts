import { useQuery } from "@tanstack/react-query";
import { hearth } from "../../api/client.ts";

/** A campaign in its current state on chain. */
export function useCampaign(campaignId: string | undefined) {
  return useQuery({
    queryKey: ["implementer", "campaigns", campaignId],
    enabled: campaignId !== undefined && campaignId !== "",
    queryFn: ({ signal }) =>
      hearth.get("/v1/campaigns/{campaignId}", { path: { campaignId: campaignId ?? "" }, signal }),
  });
}
