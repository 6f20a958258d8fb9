import { sql } from "drizzle-orm";
import type { Database } from "../../platform/db/index.ts";
import type { EvidencePiece } from "./evidence-marks.ts";
import type { Group } from "./groups.ts";
import { campaignMissing, campaignReplacements, campaigns } from "./tables.ts";
import { usageRecords } from "./usage/tables.ts";

/** Evidence of a record in addition to the claims: how a drawn household, or a drawn device of a usage survey, ended. */
type RecordedEvidence = {
  kind: "replaced" | "missing" | "surveyed" | "survey-missing";
  /** Index of the campaign on chain, and its id. */
  campaign: number;
  campaignId: string;
  /** Of devices: `intervention`. */
  group: Group;
  /** In the draw of the group, or of the usage survey. */
  position: number;
  evidence: EvidencePiece[];
  /** Day of a survey's visit; null for the other kinds. */
  visitedOn: string | null;
};

/** List the records with evidence of all campaigns: replaced and missing households that the chain has, and usage surveys. */
export async function recordedEvidence(db: Database): Promise<RecordedEvidence[]> {
  const { rows } = await db.execute(sql`
    with found as (
      select campaign, 'replaced' as kind, "group", dropped as position, null as visited_on,
        json_build_array(json_build_object('uri', evidence)) as evidence
      from ${campaignReplacements} where evidence is not null and replacement is not null
      union all
      select campaign, 'missing', "group", position, null, json_build_array(json_build_object('uri', evidence))
      from ${campaignMissing} where evidence is not null and transaction_hash is not null
      union all
      select campaign, case outcome when 'surveyed' then 'surveyed' else 'survey-missing' end, 'intervention', position,
        surveyed_on, evidence::json
      from ${usageRecords} where evidence <> '[]'::jsonb
    )
    select found.*, c.campaign_id from found join ${campaigns} c on c.campaign = found.campaign
    order by found.campaign, kind, "group", position`);
  return rows.map(
    ({ campaign, campaign_id, kind, group, position, evidence, visited_on }): RecordedEvidence => ({
      kind: kind as RecordedEvidence["kind"],
      campaign: Number(campaign),
      campaignId: String(campaign_id),
      group: group as Group,
      position: Number(position),
      evidence: evidence as EvidencePiece[],
      visitedOn: visited_on === null ? null : String(visited_on),
    }),
  );
}

/** Read all URIs that replaced and missing households and usage surveys name as evidence, also those that the chain does not have yet. */
export async function statedEvidence(db: Database): Promise<string[]> {
  const { rows } = await db.execute(sql`
    select evidence from ${campaignReplacements} where evidence is not null
    union all select evidence from ${campaignMissing} where evidence is not null
    union all select evidence::text from ${usageRecords} where evidence <> '[]'::jsonb`);
  return rows.map(({ evidence }) => String(evidence));
}
