import { db } from "ponder:api";
import { campaign, kptClaim, plan, replacement } from "ponder:schema";
import { and, asc, eq, gt } from "ponder";
import type { Page } from "./page.ts";
import type { Subject } from "./subject.ts";

export type Campaign = typeof campaign.$inferSelect;
export type KptClaim = typeof kptClaim.$inferSelect;
export type Measured = {
  campaign: Campaign;
  planId: string | null;
  replacements: (typeof replacement.$inferSelect)[];
  /** A page of the campaign's claims, or the one asked for; none of a trace that began at a certificate. */
  claims: KptClaim[];
};

async function campaignOf(subject: Subject): Promise<Campaign | undefined> {
  if (subject.type === "campaign") return subject.row;
  const { row, type } = subject;
  const condition =
    type === "kpt-claim"
      ? eq(campaign.index, row.campaignIndex)
      : eq(campaign.certificateIndex, type === "certificate" ? row.index : row.certificateIndex);
  const [found] = await db.select().from(campaign).where(condition).limit(1);
  return found;
}

async function claimsOf(subject: Subject, page: Page): Promise<KptClaim[]> {
  if (subject.type === "kpt-claim") return [subject.row];
  if (subject.type !== "campaign") return [];
  const own = and(eq(kptClaim.campaignIndex, subject.row.index), gt(kptClaim.id, page.claimsAfter));
  return db.select().from(kptClaim).where(own).orderBy(asc(kptClaim.id)).limit(page.limit);
}

/** The campaign behind an id; undefined for a certificate that was made of none, and for what hangs on it. */
export async function measuredOf(subject: Subject, page: Page): Promise<Measured | undefined> {
  const found = await campaignOf(subject);
  if (found === undefined) return undefined;
  const ofCampaign = eq(replacement.campaignIndex, found.index);
  const [replacements, plans, claims] = await Promise.all([
    db.select().from(replacement).where(ofCampaign).orderBy(asc(replacement.sequence)),
    db.select().from(plan).where(eq(plan.index, found.planIndex)),
    claimsOf(subject, page),
  ]);
  return { campaign: found, planId: plans[0]?.planId ?? null, replacements, claims };
}
