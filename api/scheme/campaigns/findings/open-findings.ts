import { and, eq, inArray, isNotNull, sql } from "drizzle-orm";
import type { RequestContext } from "../../../platform/http/index.ts";
import { visibleImplementers } from "../access.ts";
import type { CampaignDeps } from "../deps.ts";
import { campaigns } from "../tables.ts";
import { campaignVerificationActs } from "./tables.ts";

/** Findings of a campaign that are not closed. */
export type OpenFindings = {
  campaignId: string;
  /** Without an answer of the implementer. */
  open: number;
  /** With an answer, waiting for the verifier. */
  answered: number;
};

/** Count the findings that are not closed, by campaign that the caller may see; the campaigns with most of them first. */
export async function openFindings(
  deps: Pick<CampaignDeps, "campaigns" | "db" | "registry">,
  ctx: RequestContext,
): Promise<OpenFindings[]> {
  const { db } = deps;
  const visible = await visibleImplementers(deps, ctx);
  if (visible?.length === 0) return [];
  const acts = campaignVerificationActs;
  const act = sql`${acts.content} ->> 'act'`;
  const perFinding = db
    .select({
      campaignId: campaigns.campaignId,
      isAnswered: sql<boolean>`bool_or(${act} = 'answered')`.as("is_answered"),
      isClosed: sql<boolean>`bool_or(${act} = 'closed')`.as("is_closed"),
    })
    .from(acts)
    .innerJoin(campaigns, eq(campaigns.campaign, acts.campaign))
    .where(and(isNotNull(acts.finding), visible === undefined ? undefined : inArray(campaigns.implementer, visible)))
    .groupBy(campaigns.campaignId, acts.finding)
    .as("per_finding");
  const rows = await db
    .select({
      campaignId: perFinding.campaignId,
      open: sql<number>`count(*) filter (where not ${perFinding.isAnswered})::int`,
      answered: sql<number>`count(*) filter (where ${perFinding.isAnswered})::int`,
    })
    .from(perFinding)
    .where(sql`not ${perFinding.isClosed}`)
    .groupBy(perFinding.campaignId)
    .orderBy(sql`count(*) desc`, perFinding.campaignId);
  return rows;
}
