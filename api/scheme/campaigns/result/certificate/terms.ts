import { type RuleDetail, refuseBrokenRules } from "../../../../platform/errors.ts";
import { maxMicro } from "../../../../platform/values/numbers.ts";
import { type Allocation, certificatesOfHouseholds, isInForce } from "../../../certificates/index.ts";
import { decimal, readsMeters } from "../../../emissions/index.ts";
import { DEFAULT_PLAN_ID } from "../../../registry/index.ts";
import { implementerDidOf } from "../../access.ts";
import type { CampaignDeps } from "../../deps.ts";
import { verificationProblems } from "../../findings/problems.ts";
import type { CampaignRow } from "../../model.ts";
import { isDrawnByTwo } from "../../service-accounts.ts";
import { sharesHousehold } from "../../siblings.ts";
import { futureVintageProblems, vintageOf, vintageProblems } from "../../terms/vintage-rules.ts";
import type { ResultDocument } from "../document.ts";
import { planRecordProblems, readPlanRecords } from "../flags/plan-records.ts";
import { statedFigureProblems } from "../flags/stated-figures.ts";
import { validityInVintageProblems } from "../inputs/committed-parameters.ts";
import { laterDeviceDays } from "../inputs/counted-devices.ts";
import { measurementOrderProblems } from "../inputs/measurement-order.ts";
import { laterResultProblems } from "../later-rules.ts";
import { committedTerms } from "../record.ts";
import type { CampaignCertificateRequest } from "../schemas.ts";
import { changedSince } from "../service.ts";
import { equalShares, microCarbonOf } from "../shares.ts";
import { reservedCertificate } from "../store.ts";

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

/** `input`: what the regulator chooses for the result. */
type Choice = Pick<CampaignCertificateRequest, "method" | "vintage" | "allocations">;
type Closed<Input = Choice> = { row: CampaignRow; document: ResultDocument; input: Input };

/**
 * The certificate that follows from a closed campaign: its reduction in kg, rounded down to a millionth, shared out.
 * @throws AppError RULE_VIOLATION naming every reason why none follows
 */
export async function certificateTerms(
  deps: CampaignDeps,
  closed: Closed<CampaignCertificateRequest>,
): Promise<CertificateTerms> {
  const { row, input } = closed;
  const { vintage, verifiedReduction, implementerDid, allocations, broken } = await checkResult(deps, closed);
  refuseBrokenRules(broken, "No certificate follows from this campaign's result.");
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

/** Every reason why no certificate follows from a closed campaign. */
export async function certificateProblems(
  deps: CampaignDeps,
  { row, document }: Omit<Closed, "input">,
): Promise<RuleDetail[]> {
  return (await checkResult(deps, { row, document, input: {} })).broken;
}

async function checkResult(deps: CampaignDeps, closed: Closed) {
  const { row, input } = closed;
  const vintage = certifiedVintage(closed);
  const verifiedReduction = reductionOf(closed);
  const broken: RuleDetail[] = [...reductionProblems(closed), ...statedFigureProblems(closed.document.record)];
  broken.push(...(await drawProblems(deps, closed)));
  broken.push(...(await resultVintageProblems(deps, row, vintage)));
  broken.push(...(await measurementOrderProblems(deps, row)));
  broken.push(...(await laterPlanProblems(deps, closed)));
  broken.push(...(await laterResultProblems(deps, row, closed.document.record)));
  broken.push(...(await deviceDayProblems(deps, closed)));
  broken.push(...(await claimProblems(deps, closed)));
  broken.push(...(await verificationProblems(deps, closed)));
  const implementerDid = row.implementer === 0 ? null : await implementerDidOf(deps, row.implementer);
  if (implementerDid === null) {
    const message =
      "The campaign belongs to the scheme's default plan. That plan has no implementer, so nobody can hold a certificate.";
    broken.push({ rule: "campaign-of-implementer", message });
  }
  const others = await certifiedCampaigns(deps, { row, vintage, others: await deps.campaigns.certified() });
  broken.push(...others.map(certifiedProblem));
  broken.push(...(await allocatedProblems(deps, { row, vintage, others })));
  const allocations = input.allocations ?? (await frameShares(deps, { row, verifiedReduction, broken }));
  return { vintage, verifiedReduction, implementerDid, allocations, broken };
}

/** A result keeps what was known at its close. An account of the second party may turn out to be one of this service. */
async function drawProblems(deps: CampaignDeps, { row, document }: Closed): Promise<RuleDetail[]> {
  if (document.record.twoParties !== true || (await isDrawnByTwo(deps, row))) return [];
  const message =
    "The result was closed as drawn by two parties. By the chain and the accounts of this service, one party alone could have chosen the draw.";
  return [{ path: "draw", rule: "draw-by-two-parties", message }];
}

/** List the terms that contradict what the regulator recorded for the plan after the close. */
async function laterPlanProblems({ parameters, registry }: CampaignDeps, { row, document }: Closed) {
  const { terms, planRecords } = document.record;
  const { planId } = await registry.plans.termsOf(row.plan);
  const known = planRecordProblems(terms, planRecords);
  const today = planRecordProblems(terms, await readPlanRecords(parameters, planId, row));
  return today.filter(({ rule }) => known.every((each) => each.rule !== rule));
}

function outcomeOf({ document, input }: Closed) {
  const wanted = input.method ?? document.record.terms.method ?? "smec-4";
  return document.figures.emissions.reductions.find(({ method }) => method === wanted);
}

function certifiedVintage({ row, document, input }: Closed): number {
  return input.vintage ?? vintageOf(document.record.terms, row.endDate);
}

/** 0 where there is none. */
function reductionOf(closed: Closed): bigint {
  const er = outcomeOf(closed)?.certifiable.er ?? null;
  return er === null ? 0n : microCarbonOf(decimal(JSON.stringify(er)));
}

function reductionProblems(closed: Closed): RuleDetail[] {
  const outcome = outcomeOf(closed);
  if (outcome === undefined) {
    const message = `The closed result has no reduction by ${closed.input.method ?? "the committed method"}.`;
    return [{ path: "method", rule: "method-calculated", message }];
  }
  const broken: RuleDetail[] = outcome.certifiable.problems.map(({ path, rule, message }) => {
    return { ...(path === undefined ? {} : { path }), rule, message };
  });
  const reduction = reductionOf(closed);
  if (outcome.certifiable.er !== null && reduction <= 0n) {
    broken.push({ rule: "reduction-positive", message: "The campaign shows no emission reduction." });
  } else if (reduction > maxMicro) {
    broken.push({ rule: "reduction-in-range", message: "The reduction is larger than one certificate can hold." });
  }
  const vintage = committedVintage(closed);
  if (vintage !== undefined && closed.input.vintage !== undefined && vintage !== closed.input.vintage) {
    broken.push({ path: "vintage", rule: "vintage-of-terms", message: `The campaign's terms say ${vintage}.` });
  }
  return broken;
}

/**
 * List what is wrong with the vintage of a result: also of terms that this service did not check, and of one that is chosen later. The
 * recorded figures must be valid in it.
 */
export async function resultVintageProblems(
  { chain, parameters }: Pick<CampaignDeps, "chain" | "parameters">,
  row: CampaignRow,
  vintage: number,
): Promise<RuleDetail[]> {
  return [
    ...vintageProblems(row, vintage, "vintage"),
    ...futureVintageProblems(vintage, await chain.now(), "vintage"),
    ...(await validityInVintageProblems(parameters, committedTerms(row), { test: row, vintage })),
  ];
}

/** The vintage that the terms state; of metered energy, which counts when it was metered, the year of the period. */
function committedVintage({ row, document, input }: Closed): number | undefined {
  const { method, vintage } = document.record.terms;
  const isMetered = readsMeters(input.method ?? method);
  return vintage ?? (isMetered ? Number(row.endDate.slice(0, 4)) : undefined);
}

/** A campaign and its certificate; null while its result is only reserved for one. */
type Certified = { campaignId: string; certificateId: string | null };

/** Find which of the other campaigns count a household of this one for the same vintage or test period. */
export async function certifiedCampaigns(
  deps: CampaignDeps,
  { row, vintage, others }: { row: CampaignRow; vintage: number; others: readonly CampaignRow[] },
): Promise<Certified[]> {
  const { campaigns, certificates } = deps;
  const own = await campaigns.leavesOf(row, "intervention");
  const found: Certified[] = [];
  for (const other of others) {
    if (other.campaign === row.campaign) continue;
    const certificate = other.certificate === null ? null : await certificates.byIndex(other.certificate);
    const overlaps = other.startDate <= row.endDate && row.startDate <= other.endDate;
    const isSameVintage = certificate === null || certificate.facts.vintage === vintage;
    if (!overlaps && !isSameVintage) continue;
    const theirs = await campaigns.leavesOf(other, "intervention");
    if (certificate !== null && !(await isInForce(deps, certificate))) continue;
    const areShared = own === null || theirs === null ? other.plan === row.plan : sharesHousehold([own], [theirs]);
    if (areShared) found.push({ campaignId: other.campaignId, certificateId: certificate?.certificateId ?? null });
  }
  return found;
}

/** A household's year supports one certificate. */
export function certifiedProblem({ campaignId, certificateId }: Certified): RuleDetail {
  const name = certificateId === null ? "A certificate" : `Certificate ${certificateId}`;
  const message = `${name} of campaign ${campaignId} is for households of this campaign and the same period.`;
  return { path: "certificateId", rule: "household-period-certified-once", message };
}

/** Problems of households that a certificate names, by allocations or its voucher, for the same year, but for those of `others`. */
async function allocatedProblems(
  deps: CampaignDeps,
  { row, vintage, others }: { row: CampaignRow; vintage: number; others: readonly Certified[] },
): Promise<RuleDetail[]> {
  const households = await frameHouseholds(deps, row);
  const period = { startDate: `${vintage}-01-01`, endDate: `${vintage}-12-31` };
  // An interrupted attempt may have registered this campaign's certificate without its link.
  const certificateId = (await reservedCertificate(deps.db, row.campaign)) ?? "";
  const found = await certificatesOfHouseholds(deps, {
    certificateId,
    households,
    vintage,
    period,
    isOfCampaign: true,
    isUnallocated: false,
    implementer: row.implementer,
  });
  return found
    .filter((id) => others.every((other) => other.certificateId !== id))
    .map((id) => {
      const message = `Certificate ${id} is for a reduction of the same year of households of this campaign.`;
      return { path: "certificateId", rule: "household-period-certified-once", message };
    });
}

/** Find the indexes of the households of a campaign's intervention frame. */
export async function frameHouseholds(
  deps: Pick<CampaignDeps, "campaigns" | "registry">,
  row: CampaignRow,
): Promise<Set<number>> {
  const frame = await deps.campaigns.frameOf(row.campaign, "intervention");
  const known = await deps.registry.households.byDids(frame.map(({ did }) => did));
  return new Set([...known.values()].map(({ household }) => household));
}

async function deviceDayProblems(deps: CampaignDeps, { row, document }: Closed): Promise<RuleDetail[]> {
  if (document.record.devicesTo !== undefined) return [];
  const close = await deps.campaigns.ledger.closeOf(row.campaign);
  if (close === null) return [];
  const closedOn = (await deps.registry.ledger.timeOf(BigInt(close.blockNumber))).toISOString().slice(0, 10);
  return laterDeviceDays(document.record, { endDate: row.endDate, closedOn });
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
