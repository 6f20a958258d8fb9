import { sql } from "drizzle-orm";
import type { Database } from "../../../../platform/db/index.ts";
import type { CampaignDeps } from "../../deps.ts";
import { marksOf } from "../../evidence-marks.ts";
import type { CampaignRow } from "../../model.ts";
import { campaignMissing, campaignReplacements, campaigns } from "../../tables.ts";
import type { EndedPosition } from "../../usage/store.ts";
import { usageRecords } from "../../usage/tables.ts";
import {
  type EvidenceElsewhere,
  evidenceElsewhereOf,
  evidenceUses,
  type SharedEvidence,
  sharedEvidenceOf,
} from "./shared-evidence.ts";

type Elsewhere = { campaignId: string; mark: string };

/** Compare the evidence of a campaign's claims, replaced and missing households and surveyed devices, and with other campaigns. */
export async function readSharedEvidence(
  { campaigns: { store }, db, kpt }: Pick<CampaignDeps, "campaigns" | "db" | "kpt">,
  { campaign, terms }: CampaignRow,
  surveyed: readonly EndedPosition[],
): Promise<{ sharedEvidence: SharedEvidence; evidenceElsewhere: EvidenceElsewhere[] }> {
  const replaced = await store.replacements(campaign);
  const others = {
    isPaired: terms.sampling?.paired !== undefined,
    replaced: replaced.map(({ group, dropped, evidence }) => ({ group, position: dropped, evidence })),
    missing: await store.missing(campaign),
    surveyed: surveyed.map(({ position: { position }, record }) => ({ position, evidence: record?.evidence ?? [] })),
  };
  const marks = [...new Set(evidenceUses({ ...others, claims: [] }).flatMap((use) => use.marks))];
  const recorded = await recordedElsewhere(db, campaign);
  const foreign = recorded.map(({ mark }) => mark);
  const { claims, elsewhere } = await kpt.comparedEvidence(campaign, { marks, foreign });
  const uses = evidenceUses({ ...others, claims });
  return {
    sharedEvidence: sharedEvidenceOf(uses),
    evidenceElsewhere: evidenceElsewhereOf(uses, [...recorded, ...elsewhere]),
  };
}

/** Read the marks of replaced and missing households and of surveyed devices of other campaigns. */
async function recordedElsewhere(db: Database, campaign: number): Promise<Elsewhere[]> {
  const { rows } = await db.execute(sql`
    with other as (
      select campaign, evidence as uri, null as sha256 from ${campaignReplacements}
      where evidence is not null and replacement is not null
      union
      select campaign, evidence, null from ${campaignMissing}
      where evidence is not null and transaction_hash is not null
      union
      select campaign, piece ->> 'uri', piece ->> 'sha256'
      from ${usageRecords}, jsonb_array_elements(evidence) as piece
    )
    select c.campaign_id, other.uri, other.sha256 from other join ${campaigns} c on c.campaign = other.campaign
    where other.campaign <> ${campaign}`);
  return rows.flatMap(({ campaign_id, uri, sha256 }) => {
    const marks = marksOf([{ uri: String(uri), sha256: sha256 === null ? undefined : String(sha256) }]);
    return marks.map((mark) => ({ campaignId: String(campaign_id), mark }));
  });
}
