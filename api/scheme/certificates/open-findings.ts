import { type RuleDetail, refuseBrokenRules } from "../../platform/errors.ts";
import type { CertificateDeps, CountedReduction } from "./deps.ts";
import { type ReservingCall, reservingCall } from "./household-periods.ts";

/** List the open findings that prevent a certificate. A campaign has checked its own before it asks for one. */
export async function openFindingProblems(deps: CertificateDeps, counted: CountedReduction): Promise<RuleDetail[]> {
  return counted.isOfCampaign ? [] : deps.campaignFindings(counted);
}

/** Return what a call that registers or allocates a certificate adds to `submitCall`: its rules are checked again before it is stored. */
export function registeringCall(deps: CertificateDeps, counted: CountedReduction): ReservingCall {
  const reserving = reservingCall(deps, counted);
  return {
    ...reserving,
    review: async () => {
      refuseBrokenRules(await openFindingProblems(deps, counted), "A verifier opened a finding meanwhile.");
      await reserving.review();
    },
  };
}
