import { and, inArray, isNotNull, sql } from "drizzle-orm";
import type { Database } from "../../../platform/db/index.ts";
import type { RuleDetail } from "../../../platform/errors.ts";
import type { CountedReduction, FindingsCheck } from "../../certificates/index.ts";
import type { CampaignDeps } from "../deps.ts";
import type { CampaignRow } from "../model.ts";
import { frameHouseholds } from "../result/certificate/terms.ts";
import { vintageOf } from "../terms/vintage-rules.ts";
import { actsOf, findingsFrom } from "./acts.ts";
import { campaignVerificationActs, type FindingKind } from "./tables.ts";

type FindingDeps = Pick<CampaignDeps, "campaigns" | "db" | "registry">;

const binding: FindingKind[] = ["CAR", "CL"];

/**
 * Make the check of certificates that no campaign makes: a CAR or CL that is not closed prevents them like the campaign's own
 * certificate. An abandoned campaign counts too, or its findings could be avoided by abandoning it.
 */
export function openCertificateFindings(deps: FindingDeps): FindingsCheck {
  return async (counted) => {
    const campaigns = await campaignsWithOpenFindings(deps.db);
    const problems: RuleDetail[] = [];
    for (const { campaign, findings } of campaigns) {
      const row = await deps.campaigns.byIndex(campaign);
      if (row === null || !(await isConcerned(deps, row, counted))) continue;
      problems.push(...findings.map((finding) => problemOf(row, finding)));
    }
    return problems;
  };
}

type OpenFinding = { number: number; kind: FindingKind };

async function campaignsWithOpenFindings(db: Database): Promise<{ campaign: number; findings: OpenFinding[] }[]> {
  const { campaign, content, finding } = campaignVerificationActs;
  const rows = await db
    .selectDistinct({ campaign })
    .from(campaignVerificationActs)
    .where(and(isNotNull(finding), inArray(sql`${content} ->> 'kind'`, binding)));
  const acts = Map.groupBy(
    await actsOf(
      db,
      rows.map((row) => row.campaign),
    ),
    (act) => act.campaign,
  );
  return [...acts].flatMap(([index, own]) => {
    const findings = findingsFrom(own).filter(({ kind, status }) => binding.includes(kind) && status !== "closed");
    return findings.length === 0 ? [] : [{ campaign: index, findings }];
  });
}

/**
 * Whether a certificate could be for the reduction that a campaign measured: its credential names the campaign, or it is for the same
 * time and for the campaign's plan or one of its households. A certificate of the default plan is for any plan of its implementer.
 */
async function isConcerned(deps: FindingDeps, row: CampaignRow, counted: CountedReduction): Promise<boolean> {
  if (counted.campaignId === row.campaignId) return true;
  if (!isSameTime(row, counted)) return false;
  const isOwn = counted.implementer !== 0 && counted.implementer === row.implementer;
  if (isOwn && (counted.plan === row.plan || counted.plan === 0)) return true;
  if (counted.households.size === 0) return false;
  const frame = await frameHouseholds(deps, row);
  return [...counted.households].some((household) => frame.has(household));
}

/** A campaign's result is credited to the year of its vintage. */
function isSameTime(row: CampaignRow, { vintage, period }: CountedReduction): boolean {
  const own = vintageOf(row.terms.emissions, row.endDate);
  const overlaps = (startDate: string, endDate: string) => period.startDate <= endDate && startDate <= period.endDate;
  return own === vintage || overlaps(`${own}-01-01`, `${own}-12-31`) || overlaps(row.startDate, row.endDate);
}

/** The finding's text stays with the campaign: who registers a certificate need not be allowed to read it. */
function problemOf({ campaignId }: CampaignRow, { kind, number }: OpenFinding): RuleDetail {
  const message = `${kind} ${number} of campaign ${campaignId} is not closed; it prevents certificates of the campaign's plan, households and year.`;
  return { path: "verifiableCredential", rule: "findings-closed", message };
}
