import { useQuery } from "@tanstack/react-query";
import type { Decimal } from "../../api/numbers.ts";
import { request } from "../../api/request.ts";
import type { GroupName, Group as GroupResult, Result } from "../../regulator/campaigns/result.ts";

export type CampaignResult = Omit<Result, "groups" | "emissions"> & {
  groups: Record<GroupName, GroupResult & { claims: number; sampleSize: number; frameSize: number }>;
  emissions: Result["emissions"] & { terms: Record<string, unknown> | null };
};

/** The result so far, or, once the campaign is closed, the final one. */
export function useCampaignResult(campaignId: string | undefined) {
  return useQuery({
    enabled: campaignId !== undefined,
    queryKey: ["implementer", "campaigns", campaignId, "result"],
    queryFn: ({ signal }) =>
      request<CampaignResult>("GET", `/v1/campaigns/${encodeURIComponent(campaignId ?? "")}/result`, { signal }),
  });
}

/** What a reduction of so many tonnes becomes, in micro-units of CARBON: kilograms, rounded down to a millionth. */
export function carbonOf(er: Decimal): bigint {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(String(er));
  if (match === null) return 0n;
  const [, whole = "0", decimals = ""] = match;
  return BigInt(whole) * 1_000_000_000n + BigInt(decimals.slice(0, 9).padEnd(9, "0"));
}
