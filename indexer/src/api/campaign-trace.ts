import { db } from "ponder:api";
import { campaign, discardedDraw, drawParty, kptClaim, missingPosition, plan, replacement } from "ponder:schema";
import { and, asc, eq, gt } from "ponder";
import type { Page } from "./page.ts";
import type { Subject } from "./subject.ts";

export type Campaign = typeof campaign.$inferSelect;
export type KptClaim = typeof kptClaim.$inferSelect;
export type Measured = {
  campaign: Campaign;
  planId: string | null;
  replacements: (typeof replacement.$inferSelect)[];
  parties: (typeof drawParty.$inferSelect)[];
  discarded: (typeof discardedDraw.$inferSelect)[];
  missing: (typeof missingPosition.$inferSelect)[];
  /** Read a page of the campaign's claims, or the requested claim; no claim for a trace that began at a certificate. */
  claims: KptClaim[];
};

async function campaignOf(subject: Subject, certificateIndex: number | null): Promise<Campaign | undefined> {
  if (subject.type === "campaign") return subject.row;
  if (subject.type !== "kpt-claim" && certificateIndex === null) return undefined;
  const condition =
    subject.type === "kpt-claim"
      ? eq(campaign.index, subject.row.campaignIndex)
      : eq(campaign.certificateIndex, certificateIndex ?? 0);
  const [found] = await db.select().from(campaign).where(condition).limit(1);
  return found;
}

async function claimsOf(subject: Subject, page: Page): Promise<KptClaim[]> {
  if (subject.type === "kpt-claim") return [subject.row];
  if (subject.type !== "campaign") return [];
  const own = and(eq(kptClaim.campaignIndex, subject.row.index), gt(kptClaim.id, page.claimsAfter));
  return db.select().from(kptClaim).where(own).orderBy(asc(kptClaim.id)).limit(page.limit);
}

/** Find the campaign of a subject or of its one certificate; undefined for a certificate that is not from a campaign. */
export async function measuredOf(
  subject: Subject,
  certificateIndex: number | null,
  page: Page,
): Promise<Measured | undefined> {
  const found = await campaignOf(subject, certificateIndex);
  if (found === undefined) return undefined;
  const ofCampaign = eq(replacement.campaignIndex, found.index);
  const [parties, discarded, replacements, missing, plans, claims] = await Promise.all([
    db.select().from(drawParty).where(eq(drawParty.campaignIndex, found.index)).orderBy(asc(drawParty.sequence)),
    db
      .select()
      .from(discardedDraw)
      .where(eq(discardedDraw.campaignIndex, found.index))
      .orderBy(asc(discardedDraw.sequence)),
    db.select().from(replacement).where(ofCampaign).orderBy(asc(replacement.sequence)),
    db
      .select()
      .from(missingPosition)
      .where(eq(missingPosition.campaignIndex, found.index))
      .orderBy(asc(missingPosition.sequence)),
    db.select().from(plan).where(eq(plan.index, found.planIndex)),
    claimsOf(subject, page),
  ]);
  return { campaign: found, planId: plans[0]?.planId ?? null, parties, discarded, replacements, missing, claims };
}
