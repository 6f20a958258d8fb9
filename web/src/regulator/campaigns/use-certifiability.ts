import { useQuery } from "@tanstack/react-query";
import { hearth } from "../../api/client.ts";
import { useSession } from "../../session/session.ts";

const readers: readonly string[] = ["admin", "evaluator", "regulator", "implementer"];

/** Whether the session's role may read findings and data rooms. */
export function useIsVerificationReader(): boolean {
  const role = useSession().key?.holder.role;
  return role !== undefined && readers.includes(role);
}

/** For which reduction a certificate of a campaign can be made, for those who may read its findings. */
export function useCertifiability(campaignId: string | undefined) {
  const isReader = useIsVerificationReader();
  const { data, error, refetch } = useQuery({
    queryKey: ["implementer", "campaigns", campaignId, "certifiability"],
    queryFn: ({ signal }) =>
      hearth.get("/v1/campaigns/{campaignId}/certifiability", { path: { campaignId: campaignId ?? "" }, signal }),
    enabled: isReader && campaignId !== undefined,
  });
  return { isReader, data, error, refetch };
}
