import type { ClaimKind } from "../claims/index.ts";
import { kptReaders, kptScopes } from "./access.ts";
import type { KptServiceDeps } from "./deps.ts";
import { fileKptClaim } from "./file-claim.ts";
import { type KptClaimRequest, kptClaim, kptClaimRequest } from "./schemas.ts";
import { getKptClaim, isKptClaimId } from "./service.ts";

/** KPT claims as a kind of claim at `/v1/claims`. */
export function kptClaimKind(deps: KptServiceDeps): ClaimKind {
  return {
    request: kptClaimRequest as unknown as ClaimKind["request"],
    answer: kptClaim,
    scopes: kptScopes,
    readScopes: kptReaders.scopes,
    file: (ctx, request: KptClaimRequest) => fileKptClaim(deps, ctx, request),
    hasId: isKptClaimId,
    read: (ctx, id) => getKptClaim(deps, ctx, id),
  };
}
