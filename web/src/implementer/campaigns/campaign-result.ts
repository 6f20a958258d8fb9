import { useQuery } from "@tanstack/react-query";
import type { Decimal } from "../../../../wire/src/exact.ts";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";

export type CampaignResult = Schemas["CampaignResult"];

/** The current result; after the campaign is closed, the final one. */
export function useCampaignResult(campaignId: string | undefined) {
  return useQuery({
    enabled: campaignId !== undefined,
    queryKey: ["implementer", "campaigns", campaignId, "result"],
    queryFn: ({ signal }) => readResult(campaignId ?? "", signal),
  });
}

/** Read a result as JSON; the same route can also return CSV. */
export async function readResult(campaignId: string, signal: AbortSignal): Promise<CampaignResult> {
  const result = await hearth.get("/v1/campaigns/{campaignId}/result", { path: { campaignId }, signal });
  if (typeof result === "string") throw new TypeError("The result is not JSON.");
  return result;
}

/** List why a reduction cannot be certified, without its assumptions: pages show these separately, with their values. */
export function problemsBesideAssumptions({
  assumptions,
  certifiable,
}: Pick<Schemas["CampaignCertifiableReduction"], "assumptions" | "certifiable">) {
  const assumed = new Set(assumptions.map(({ parameter }) => `emissions.${parameter}`));
  return certifiable.problems.filter(({ path, rule }) => rule !== "terms-committed" || !assumed.has(path ?? ""));
}

/** Convert a reduction in tonnes to micro-CARBON: kilograms, rounded down to a millionth. */
export function carbonOf(er: Decimal): bigint {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(String(er));
  if (match === null) return 0n;
  const [, whole = "0", decimals = ""] = match;
  return BigInt(whole) * 1_000_000_000n + BigInt(decimals.slice(0, 9).padEnd(9, "0"));
}
