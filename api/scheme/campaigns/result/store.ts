import { and, eq } from "drizzle-orm";
import type { Database } from "../../../platform/db/index.ts";
import { campaignCertificates } from "./tables.ts";

/**
 * Set aside a campaign's result for a certificate, unless it is for another.
 * @returns the certificate that it is for, from whichever attempt came first
 */
export async function reserveResult(
  db: Database,
  { campaign, certificateId, at }: { campaign: number; certificateId: string; at: Date },
): Promise<string> {
  await db.insert(campaignCertificates).values({ campaign, certificateId, createdAt: at }).onConflictDoNothing();
  const [row] = await db.select().from(campaignCertificates).where(eq(campaignCertificates.campaign, campaign));
  return row?.certificateId ?? certificateId;
}

export async function isReserved(db: Database, campaign: number): Promise<boolean> {
  return (await db.$count(campaignCertificates, eq(campaignCertificates.campaign, campaign))) > 0;
}

/** The campaigns whose result is set aside for a certificate. */
export async function reservedCampaigns(db: Database): Promise<number[]> {
  const rows = await db.select({ campaign: campaignCertificates.campaign }).from(campaignCertificates);
  return rows.map(({ campaign }) => campaign);
}

/** Take back what was set aside for `certificateId`; nothing where another attempt has done so. */
export async function releaseResult(db: Database, campaign: number, certificateId: string): Promise<void> {
  const same = and(eq(campaignCertificates.campaign, campaign), eq(campaignCertificates.certificateId, certificateId));
  await db.delete(campaignCertificates).where(same);
}
