import type { RuleDetail } from "../../../../platform/errors.ts";
import { type RequestContext, requireRole } from "../../../../platform/http/index.ts";
import type { CampaignDeps } from "../../deps.ts";
import { findingProblems } from "../../findings/problems.ts";
import type { CampaignRow } from "../../model.ts";
import { vintageOf } from "../../terms/vintage-rules.ts";
import { statedFigureProblems } from "../flags/stated-figures.ts";
import { measurementOrderProblems } from "../inputs/measurement-order.ts";
import { resultFrom } from "../record.ts";
import { serializeFigures } from "../response.ts";
import type { CertifiabilityResponse } from "../schemas.ts";
import { certificateIdOf, knownResult } from "../service.ts";
import { certificateProblems, resultVintageProblems } from "./terms.ts";

/**
 * Read the reduction for which a campaign's certificate can be made, or every reason why none can.
 * @throws AppError NOT_FOUND, FORBIDDEN
 */
export async function getCertifiability(
  deps: CampaignDeps,
  ctx: RequestContext,
  campaignId: string,
): Promise<CertifiabilityResponse> {
  const { row, record, document } = await knownResult(deps, ctx, campaignId);
  requireRole(ctx.actor, "regulator", "evaluator", "implementer");
  const { emissions } = document?.figures ?? serializeFigures(record, resultFrom(record));
  const method = record.terms.method ?? null;
  const reduction = emissions.reductions.find((each) => each.method === (method ?? "smec-4"));
  const basis = reduction?.certifiable.basis ?? "measured";
  const er = reduction?.certifiable.er ?? null;
  const shown = { campaignId, status: row.status, method, basis };
  if (row.certificate !== null) {
    return { ...shown, er, problems: [], certificateId: await certificateIdOf(deps, row.certificate) };
  }
  const problems =
    document === null
      ? [
          openProblem(row),
          ...(reduction?.certifiable.problems ?? []),
          ...statedFigureProblems(record),
          ...(await resultVintageProblems(deps, row, vintageOf(row.terms.emissions, row.endDate))),
          ...(await measurementOrderProblems(deps, row)),
          ...(await findingProblems(deps, row)),
        ]
      : await certificateProblems(deps, { row, document });
  return { ...shown, er: problems.length > 0 ? null : er, problems, certificateId: null };
}

function openProblem({ status, resultHash }: CampaignRow): RuleDetail {
  const rule = "campaign-closed";
  if (status === "abandoned") return { rule, message: "The campaign is abandoned: it has no result." };
  if (resultHash !== null)
    return { rule, message: "The campaign was closed elsewhere: its result is not stored here." };
  return { rule, message: "The campaign is not closed yet: its result may change." };
}
