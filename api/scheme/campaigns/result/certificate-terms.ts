import { type RuleDetail, refuseBrokenRules } from "../../../platform/errors.ts";
import { maxMicro } from "../../../platform/values/numbers.ts";
import type { Allocation } from "../../certificates/index.ts";
import { decimal } from "../../emissions/index.ts";
import { DEFAULT_PLAN_ID } from "../../registry/index.ts";
import { implementerDidOf } from "../access.ts";
import type { CampaignDeps } from "../deps.ts";
import type { CampaignRow } from "../model.ts";
import type { ResultDocument } from "./document.ts";
import type { CampaignCertificateRequest } from "./schemas.ts";
import { changedSince } from "./service.ts";
import { equalShares, microCarbonOf } from "./shares.ts";

/** What a certificate of a campaign's result says, but for its credential. */
export type CertificateTerms = {
  certificateId: string;
  implementerDid: string;
  planId: string;
  activityId: string;
  vintage: number;
  /** Micro-CARBON. */
  verifiedReduction: bigint;
  period: { startDate: string; endDate: string };
  underlyingUnits: CampaignCertificateRequest["underlyingUnits"];
  allocations: Allocation[];
};

type Closed = { row: CampaignRow; document: ResultDocument; input: CampaignCertificateRequest };

/**
 * The certificate that follows from a closed campaign: its reduction in kg, rounded down to a millionth, shared out.
 * @throws AppError RULE_VIOLATION naming every reason why none follows
 */
export async function certificateTerms(deps: CampaignDeps, closed: Closed): Promise<CertificateTerms> {
  const { row, document, input } = closed;
  const broken: RuleDetail[] = [...reductionProblems(closed), ...(await claimProblems(deps, closed))];
  const implementerDid = row.implementer === 0 ? null : await implementerDidOf(deps, row.implementer);
  if (implementerDid === null) {
    const message =
      "The campaign is of the scheme's default plan, which is no implementer's: nobody can hold a certificate.";
    broken.push({ rule: "campaign-of-implementer", message });
  }
  const verifiedReduction = reductionOf(closed);
  const allocations = input.allocations ?? (await frameShares(deps, { row, verifiedReduction, broken }));
  refuseBrokenRules(broken, "No certificate follows from this campaign's result.");
  const { vintage: stated } = document.record.terms;
  const vintage = input.vintage ?? stated ?? Number(row.endDate.slice(0, 4));
  const { certificateId, activityId, underlyingUnits } = input;
  return {
    certificateId,
    activityId,
    underlyingUnits,
    implementerDid: implementerDid as string,
    planId: (await deps.registry.plans.byIndex(row.plan))?.planId ?? DEFAULT_PLAN_ID,
    vintage,
    verifiedReduction,
    period: { startDate: `${vintage}-01-01`, endDate: `${vintage}-12-31` },
    allocations,
  };
}

function outcomeOf({ document, input }: Closed) {
  return document.figures.emissions.reductions.find(({ method }) => method === input.method);
}

/** 0 where there is none. */
function reductionOf(closed: Closed): bigint {
  const er = outcomeOf(closed)?.er ?? null;
  return er === null ? 0n : microCarbonOf(decimal(JSON.stringify(er)));
}

function reductionProblems(closed: Closed): RuleDetail[] {
  const outcome = outcomeOf(closed);
  if (outcome === undefined) {
    const message = `The closed result has no reduction by ${closed.input.method}.`;
    return [{ path: "method", rule: "method-calculated", message }];
  }
  const broken: RuleDetail[] = outcome.assumptions.map(({ parameter, message }) => {
    return { path: `emissions.${parameter}`, rule: "parameters-given", message };
  });
  for (const { rule, message, path } of outcome.broken) broken.push({ path: `emissions.${path ?? ""}`, rule, message });
  const reduction = reductionOf(closed);
  if (outcome.er !== null && reduction <= 0n) {
    broken.push({ rule: "reduction-positive", message: "The campaign shows no emission reduction." });
  } else if (reduction > maxMicro) {
    broken.push({ rule: "reduction-in-range", message: "The reduction is larger than one certificate can hold." });
  }
  const { vintage } = closed.document.record.terms;
  if (vintage !== undefined && closed.input.vintage !== undefined && vintage !== closed.input.vintage) {
    broken.push({ path: "vintage", rule: "vintage-of-terms", message: `The campaign's terms say ${vintage}.` });
  }
  return broken;
}

async function claimProblems(deps: CampaignDeps, { row, document }: Closed): Promise<RuleDetail[]> {
  const { claimsRevokedSince: revoked } = await changedSince(deps, row.campaign, document);
  if (revoked.length === 0) return [];
  const shown = revoked.slice(0, 20).join(", ");
  const message = `${revoked.length} of the claims that the result counts were revoked since: ${shown}.`;
  return [{ rule: "claims-stand", message }];
}

type ToShare = { row: CampaignRow; verifiedReduction: bigint; broken: RuleDetail[] };

async function frameShares(deps: CampaignDeps, { row, verifiedReduction, broken }: ToShare): Promise<Allocation[]> {
  const frame = await deps.campaigns.frameOf(row.campaign, "intervention");
  if (frame.length === 0) {
    const message = "The intervention frame is not kept here: name the allocations.";
    broken.push({ path: "allocations", rule: "frame-known", message });
    return [];
  }
  if (verifiedReduction > 0n && verifiedReduction < BigInt(frame.length)) {
    const message = "The reduction is less than a millionth of a CARBON for each household of the frame.";
    broken.push({ path: "allocations", rule: "shares-positive", message });
  }
  const shares = equalShares(verifiedReduction, frame.length);
  return frame.map(({ did }, index) => ({ householdDid: did, amount: shares[index] as bigint }));
}
