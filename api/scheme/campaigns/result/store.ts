import { and, eq, sql } from "drizzle-orm";
import type { Database } from "../../../platform/db/index.ts";
import { campaignCertificates } from "./tables.ts";

/**
 * Reserve a campaign's result for a certificate, unless it is reserved for another.
 * @param compared the campaigns with reserved results that the caller has compared with this one
 * @returns the certificate that it is reserved for; null when another campaign's result was reserved since `compared`
 */
export async function reserveResult(
  db: Database,
  { campaign, certificateId, at }: { campaign: number; certificateId: string; at: Date },
  compared: readonly number[],
): Promise<string | null> {
  return await db.transaction(async (tx) => {
    await tx.execute(sql`lock table ${campaignCertificates} in share row exclusive mode`);
    const rows = await tx.select().from(campaignCertificates);
    const own = rows.find((row) => row.campaign === campaign);
    if (own !== undefined) return own.certificateId;
    if (rows.some((row) => !compared.includes(row.campaign))) return null;
    await tx.insert(campaignCertificates).values({ campaign, certificateId, createdAt: at });
    return certificateId;
  });
}

/** Read the certificate for which a campaign's result is reserved; null where none was begun. */
export async function reservedCertificate(db: Database, campaign: number): Promise<string | null> {
  const rows = await db.select().from(campaignCertificates).where(eq(campaignCertificates.campaign, campaign));
  return rows[0]?.certificateId ?? null;
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
