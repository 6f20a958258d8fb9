import { isoTime } from "../../platform/chain/index.ts";
import type { RequestContext } from "../../platform/http/index.ts";
import { big, int, parameters, text } from "../../platform/indexer/index.ts";
import { campaignProgress, type MeasuredAt, openFindings, placeKey } from "../campaigns/index.ts";
import { countWaitingProposals } from "../governance/index.ts";
import type { OverviewDeps } from "./deps.ts";
import type { Overview, OverviewQuery } from "./schemas.ts";
import { supplierOverview } from "./supplier.ts";

const secondsPerDay = 86_400n;
const mostCampaigns = 20;

/** Sum up what concerns the caller: what waits for decisions, its redemptions, the progress of its campaigns. */
export async function readOverview(
  deps: OverviewDeps,
  ctx: RequestContext,
  { since }: OverviewQuery,
): Promise<Overview> {
  const now = await deps.chain.now();
  const begin =
    since === undefined ? (now / secondsPerDay) * secondsPerDay : BigInt(Math.ceil(Date.parse(since) / 1000));
  const { role, supplierDid } = ctx.actor;
  const measured = measurementsOf(deps);
  const [proposals, findings, supplier, progress] = await Promise.all([
    countWaitingProposals(deps),
    findingsFor(deps, ctx),
    role === "supplier" && supplierDid !== undefined ? supplierOverview(deps, supplierDid, begin) : null,
    campaignProgress(deps, ctx, measured),
  ]);
  const campaigns = progress.map(async ({ row, progress: shown }) => ({
    ...shown,
    days: daysOf(await measured(row.campaign)),
  }));
  return {
    asOf: isoTime(now),
    since: isoTime(begin),
    proposals,
    findings,
    supplier,
    campaigns: await Promise.all(campaigns),
  };
}

/** Findings for those who may read them. */
async function findingsFor(deps: OverviewDeps, ctx: RequestContext): Promise<Overview["findings"]> {
  if (!["admin", "regulator", "evaluator", "implementer"].includes(ctx.actor.role)) return null;
  const campaigns = await openFindings(deps, ctx);
  const sum = (key: "open" | "answered") => campaigns.reduce((total, each) => total + each[key], 0);
  return { open: sum("open"), answered: sum("answered"), campaigns: campaigns.slice(0, mostCampaigns) };
}

/** Read when positions were first measured, in seconds since 1970, each campaign once. */
function measurementsOf({ indexer }: Pick<OverviewDeps, "indexer">) {
  const read = async (campaign: number): Promise<Map<string, bigint>> => {
    const { values, add } = parameters();
    const rows = await indexer.query(
      `select k.test_group, k.position, min(k.recorded_at) as first from kpt_claim k
       where k.campaign = ${add(campaign)} and k.status = 'verified' group by k.test_group, k.position`,
      values,
    );
    return new Map(rows.map((row) => [placeKey(text(row.test_group), int(row.position)), big(row.first)]));
  };
  const known = new Map<number, ReturnType<typeof read>>();
  return (campaign: number) => {
    const reading = known.get(campaign) ?? read(campaign);
    known.set(campaign, reading);
    return reading;
  };
}

function daysOf(measured: Awaited<ReturnType<MeasuredAt>>): Overview["campaigns"][number]["days"] {
  const byDay = Map.groupBy(measured.values(), (seconds) => isoTime(seconds).slice(0, 10));
  return [...byDay].map(([date, each]) => ({ date, measured: each.length })).sort((a, b) => (a.date < b.date ? -1 : 1));
}
