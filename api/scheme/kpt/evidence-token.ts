import type { RequestContext } from "../../platform/http/index.ts";
import { requireOwnCampaign, requireVisibleCampaign } from "../campaigns/index.ts";
import { campaignFolder } from "../scheme-files/index.ts";
import type { KptServiceDeps } from "./deps.ts";

export type EvidenceTokenInput = {
  campaignId: string;
  /** DID that may use the token; absent: any bearer. */
  audience?: string | undefined;
  /** Lifetime of the token. */
  seconds: number;
};

export type EvidenceToken = {
  token: string;
  /** `bearer`: for the header `Authorization: Bearer`. `delegation`: a proof for tokens that its audience signs. */
  use: "bearer" | "delegation";
  audience: string;
  /** The namespace, and the folder in it. */
  namespace: string;
  path: string;
  expiresAt: string;
};

/**
 * Issue a token to read a campaign's claims and evidence in the file store, for admin, regulator, evaluator and the campaign's
 * implementer. @throws AppError NOT_FOUND for a campaign that the actor may not see; FORBIDDEN
 */
export async function giveEvidenceToken(
  deps: KptServiceDeps,
  ctx: RequestContext,
  { campaignId, audience, seconds }: EvidenceTokenInput,
): Promise<EvidenceToken> {
  const row = await requireVisibleCampaign(deps, ctx, campaignId);
  if (ctx.actor.role !== "evaluator") await requireOwnCampaign(deps, ctx, row);
  const { schemeFiles } = deps;
  const { identity } = schemeFiles;
  const to = audience ?? identity.did;
  const path = campaignFolder(campaignId);
  const { token, expiresAt } = await schemeFiles.mintReader({ audience: to, path, seconds });
  const use = identity.audiences.includes(to) ? "bearer" : "delegation";
  return { token, use, audience: to, namespace: schemeFiles.owner, path, expiresAt: expiresAt.toISOString() };
}
