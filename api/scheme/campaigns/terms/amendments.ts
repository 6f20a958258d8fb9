import { once, submitCall } from "../../../platform/chain/index.ts";
import { type RuleDetail, refuseBrokenRules } from "../../../platform/errors.ts";
import type { RequestContext } from "../../../platform/http/index.ts";
import { canonicalJson } from "../../../platform/values/canonical-json.ts";
import { statusConflict } from "../../registry/index.ts";
import { requireOwnCampaign, requireVisibleCampaign } from "../access.ts";
import { withBeacon } from "../beacon/beacon.ts";
import type { CampaignDeps } from "../deps.ts";
import type { CampaignRow } from "../model.ts";
import { committedMethod } from "../result/inputs/committed-parameters.ts";
import { measuredVariation, withMeasuredVariation } from "../sampling/measured-variation.ts";
import { sampleProblems, samplingProblems } from "../sampling/rules.ts";
import type { CampaignResponse, NewAbandonment, NewAmendment } from "../schemas.ts";
import { serializeCampaign } from "../serialize-campaign.ts";
import { checkTerms, dayProblems, termsOf, withUsageFrame } from "./checks.ts";
import { type CampaignTerms, canonicalTerms } from "./terms.ts";

/**
 * Replace terms of a campaign before its draw: a new version on chain, with its reason.
 * @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT once it is drawn or ended, RULE_VIOLATION when nothing is changed
 */
export async function amendCampaign(
  deps: CampaignDeps,
  ctx: RequestContext,
  campaignId: string,
  { reason, ...changes }: NewAmendment,
): Promise<CampaignResponse> {
  const row = await requireVisibleCampaign(deps, ctx, campaignId);
  await requireOwnCampaign(deps, ctx, row);
  await once(deps, ctx, async () => {
    if (row.status !== "committed") {
      throw statusConflict(`Campaign ${campaignId} is ${row.status}: its terms change only before the draw.`);
    }
    const broken: RuleDetail[] = [];
    const checked = await checkTerms(deps, await withMeasured(deps, row, changes), row, broken);
    const method = await committedMethod(deps.parameters, checked.emissions);
    const strata = strataChanges(row, changes);
    broken.push(
      ...dayProblems(checked, row, method),
      ...samplingProblems(deps, checked, { given: changes, period: row, method }),
      ...designProblems(row, checked),
      ...strata,
      ...sampleProblems(checked, row.sampleSize, row.frameSizes),
    );
    refuseBrokenRules(broken, "The amendment breaks rules; nothing was changed.");
    const { plan, startDate, endDate } = row;
    const toSurvey = { plan, startDate, endDate, method, households: () => frameHouseholds(deps, row) };
    const terms = canonicalTerms(await withBeacon(deps, await withUsageFrame(deps, checked, toSurvey)));
    if (terms === canonicalTerms(row.terms)) {
      const message = "The amendment changes none of the terms.";
      refuseBrokenRules([{ rule: "terms-changed", message }]);
    }
    return submitCall(deps, ctx, {
      sender: "operator",
      contract: "campaigns",
      functionName: "amend",
      args: [row.campaign, terms, reason],
      purpose: "campaign.amend",
    });
  });
  deps.campaigns.noteChange(row.campaign);
  return serializeCampaign(deps, await requireVisibleCampaign(deps, ctx, campaignId));
}

/** @throws AppError CONFLICT where another database holds the frame: its devices cannot be found here */
async function frameHouseholds({ campaigns }: CampaignDeps, row: CampaignRow): Promise<Uint32Array> {
  const households = await campaigns.householdsOf(row, "intervention");
  if (households !== null) return households;
  throw statusConflict(`The intervention frame of ${row.campaignId} is not stored here; its devices cannot be listed.`);
}

/** Refuse a change between a paired and an unpaired design: the frames were committed for one of them. */
function designProblems({ terms: { sampling } }: CampaignRow, changed: CampaignTerms): RuleDetail[] {
  if ((sampling?.paired === undefined) === (changed.sampling?.paired === undefined)) return [];
  const message = "The frames were committed for another design; abandon the campaign and commit a new one.";
  return [{ path: "sampling.paired", rule: "design-of-frames", message }];
}

/** Refuse a change of the strata: their households were committed with the frames. An amended sampling repeats them. */
function strataChanges({ terms }: CampaignRow, { sampling }: Omit<NewAmendment, "reason">): RuleDetail[] {
  if (sampling === undefined) return [];
  const committed = terms.sampling?.strata?.map(({ frames: _, ...stratum }) => stratum) ?? [];
  if (canonicalJson(committed) === canonicalJson(sampling.strata ?? [])) return [];
  const message = "The strata were committed with the frames; abandon the campaign and commit a new one.";
  return [{ path: "sampling.strata", rule: "design-of-frames", message }];
}

/** The amended terms; their sampling is compared with what is measured by now. A sample that is not planned again keeps its variation. */
async function withMeasured(
  deps: CampaignDeps,
  row: CampaignRow,
  changes: Omit<NewAmendment, "reason">,
): Promise<CampaignTerms> {
  const terms = amended(row.terms, changes);
  if (terms.sampling === undefined) return terms;
  const { sampling } = changes;
  const measured = await measuredVariation(deps, row.plan, terms.emissions);
  return withMeasuredVariation(
    terms,
    measured,
    sampling === undefined || sampling.coefficientOfVariation !== undefined,
  );
}

/** Terms that are given take the place of the earlier ones, each as a whole. */
function amended(terms: CampaignTerms, changes: Omit<NewAmendment, "reason">): CampaignTerms {
  const given = termsOf(changes);
  const result = { ...terms };
  if (given.season !== undefined) result.season = given.season;
  if (changes.externalFactors !== undefined) result.externalFactors = given.externalFactors;
  if (changes.confidence !== undefined) result.confidence = given.confidence;
  if (given.sampling !== undefined) {
    const { strata } = terms.sampling ?? {};
    result.sampling = strata === undefined ? given.sampling : { ...given.sampling, strata };
    result.confidence = given.confidence;
  }
  if (changes.logConvention !== undefined) result.logConvention = given.logConvention;
  if (changes.days !== undefined) result.days = changes.days;
  if (changes.emissions !== undefined) result.emissions = given.emissions;
  return result;
}

/**
 * Give up a campaign for ever. Campaigns with the same households name it from then on.
 * @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT once it is closed or abandoned
 */
export async function abandonCampaign(
  deps: CampaignDeps,
  ctx: RequestContext,
  campaignId: string,
  { reason }: NewAbandonment,
): Promise<CampaignResponse> {
  const row = await requireVisibleCampaign(deps, ctx, campaignId);
  await requireOwnCampaign(deps, ctx, row);
  await once(deps, ctx, async () => {
    if (row.status === "closed" || row.status === "abandoned") {
      throw statusConflict(`Campaign ${campaignId} is ${row.status} already.`);
    }
    return submitCall(deps, ctx, {
      sender: "operator",
      contract: "campaigns",
      functionName: "abandon",
      args: [row.campaign, reason],
      purpose: "campaign.abandon",
    });
  });
  deps.campaigns.noteChange(row.campaign);
  return serializeCampaign(deps, await requireVisibleCampaign(deps, ctx, campaignId));
}
