import { type Address, isAddressEqual } from "viem";
import { accountInDid } from "../../../platform/dids/index.ts";
import type { RuleDetail } from "../../../platform/errors.ts";
import type { CampaignDeps } from "../deps.ts";
import type { CampaignRow } from "../model.ts";
import { serviceAccountsOf } from "../service-accounts.ts";

type IndependenceDeps = Pick<CampaignDeps, "chain" | "credentials" | "registry">;
type Verifier = { row: Pick<CampaignRow, "implementer">; issuerDid: string; path: string };

/**
 * Check that a verifier is neither this service nor the implementer of the campaign, by their DIDs and by the accounts that they have or
 * had. @returns the broken rule; nothing if it is another party
 */
export async function independenceProblems(
  deps: IndependenceDeps,
  { row, issuerDid, path }: Verifier,
): Promise<RuleDetail[]> {
  const problem = (message: string): RuleDetail[] => [{ path, rule: "verifier-independent", message }];
  const account = accountInDid(issuerDid);
  const isOneOf = (accounts: readonly Address[]) =>
    account !== undefined && accounts.some((each) => isAddressEqual(each, account));
  if (issuerDid === deps.credentials.issuer || isOneOf(serviceAccountsOf(deps.chain))) {
    return problem("This service calculated the result and cannot verify it.");
  }
  const isImplementer =
    issuerDid === (await deps.registry.implementers.byIndex(row.implementer))?.did ||
    (account !== undefined && isOneOf(await accountsOfImplementer(deps, row.implementer)));
  return isImplementer ? problem("The implementer measured the result and cannot verify it.") : [];
}

/** List the accounts that an implementer has and had. */
async function accountsOfImplementer({ chain }: IndependenceDeps, implementer: number): Promise<Address[]> {
  const registered = await chain.past("participants", "ImplementerRegistered", { implementer });
  const changed = await chain.past("participants", "ImplementerAccountChanged", { implementer });
  return [...registered, ...changed].map(({ args }) => args.account);
}
