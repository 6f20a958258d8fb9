import type { RuleDetail } from "../../../platform/errors.ts";
import { CREDENTIAL_TYPE } from "../../certificates/index.ts";
import type { CampaignDeps } from "../deps.ts";

/** Check that the regulator trusts a verifier now. @returns the broken rule; nothing if it does */
export async function trustProblems(
  { registry, chain }: Pick<CampaignDeps, "registry" | "chain">,
  { issuerDid, path }: { issuerDid: string; path: string },
): Promise<RuleDetail[]> {
  if (await registry.issuers.isTrusted(issuerDid, CREDENTIAL_TYPE, await chain.now())) return [];
  const message = `${issuerDid} is not an issuer that the regulator trusts for ${CREDENTIAL_TYPE}.`;
  return [{ path, rule: "issuer-trusted", message }];
}
