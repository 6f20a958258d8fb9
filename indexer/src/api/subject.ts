import { db } from "ponder:api";
import { campaign, certificate, claim, kptClaim, redemption, voucher } from "ponder:schema";
import { eq } from "ponder";
import { decodeClaimId, decodeKptClaimId, decodeRedemptionId, decodeVoucherId } from "../../schema/ids.ts";

export type Subject =
  | { type: "certificate"; row: typeof certificate.$inferSelect }
  | { type: "voucher"; row: typeof voucher.$inferSelect }
  | { type: "redemption"; row: typeof redemption.$inferSelect }
  | { type: "claim"; row: typeof claim.$inferSelect }
  | { type: "campaign"; row: typeof campaign.$inferSelect }
  | { type: "kpt-claim"; row: typeof kptClaim.$inferSelect };

/** What goes by a name that its registrar chose. */
export const namedTypes = ["certificate", "campaign"] as const;
export type NamedType = (typeof namedTypes)[number];

type Found = { ok: true; subject: Subject } | { ok: false; message: string };

const readers = [
  {
    prefix: "VCHR-",
    type: "voucher",
    decode: decodeVoucherId,
    read: (id: bigint) => db.select().from(voucher).where(eq(voucher.id, id)),
  },
  {
    prefix: "REDM-",
    type: "redemption",
    decode: decodeRedemptionId,
    read: (id: bigint) => db.select().from(redemption).where(eq(redemption.id, id)),
  },
  {
    prefix: "CLM-",
    type: "claim",
    decode: decodeClaimId,
    read: (id: bigint) => db.select().from(claim).where(eq(claim.id, id)),
  },
  {
    prefix: "KPT-",
    type: "kpt-claim",
    decode: decodeKptClaimId,
    read: (id: bigint) => db.select().from(kptClaim).where(eq(kptClaim.id, id)),
  },
] as const;

async function findNamed(id: string, type: NamedType | undefined): Promise<Subject | undefined> {
  if (type !== "campaign") {
    const [row] = await db.select().from(certificate).where(eq(certificate.certificateId, id)).limit(1);
    if (row !== undefined) return { type: "certificate", row };
  }
  if (type === "certificate") return undefined;
  const [row] = await db.select().from(campaign).where(eq(campaign.campaignId, id)).limit(1);
  return row === undefined ? undefined : { type: "campaign", row };
}

/**
 * Find what an id names: a certificate's public id, then a campaign's (`type` tells apart two of one name), then VCHR-,
 * REDM-, CLM- and KPT- ids by their prefix.
 */
export async function findSubject(id: string, type?: NamedType): Promise<Found> {
  const named = await findNamed(id, type);
  if (named !== undefined) return { ok: true, subject: named };
  const reader = type === undefined ? readers.find(({ prefix }) => id.toUpperCase().startsWith(prefix)) : undefined;
  if (reader === undefined) return { ok: false, message: `No ${type ?? "certificate or campaign"} has the id ${id}.` };
  const decoded = reader.decode(id);
  if (!decoded.ok) {
    const hint = decoded.reason === "checksum" ? " Its check symbol does not fit: is it mistyped?" : "";
    return { ok: false, message: `${id} is no ${reader.type} id.${hint}` };
  }
  const [row] = await reader.read(decoded.id);
  if (row === undefined) return { ok: false, message: `There is no ${reader.type} ${id}.` };
  return { ok: true, subject: { type: reader.type, row } as Subject };
}
