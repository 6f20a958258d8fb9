import { db } from "ponder:api";
import { certificate, claim, redemption, voucher } from "ponder:schema";
import { eq } from "ponder";
import { decodeClaimId, decodeRedemptionId, decodeVoucherId } from "../../schema/ids.ts";

export type Subject =
  | { type: "certificate"; row: typeof certificate.$inferSelect }
  | { type: "voucher"; row: typeof voucher.$inferSelect }
  | { type: "redemption"; row: typeof redemption.$inferSelect }
  | { type: "claim"; row: typeof claim.$inferSelect };

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
] as const;

/** Find what an id names: VCHR-, REDM- and CLM- ids by their prefix, anything else is a certificate's public id. */
export async function findSubject(id: string): Promise<Found> {
  const [named] = await db.select().from(certificate).where(eq(certificate.certificateId, id)).limit(1);
  if (named !== undefined) return { ok: true, subject: { type: "certificate", row: named } };
  const reader = readers.find(({ prefix }) => id.toUpperCase().startsWith(prefix));
  if (reader === undefined) return { ok: false, message: `No certificate has the id ${id}.` };
  const decoded = reader.decode(id);
  if (!decoded.ok) {
    const hint = decoded.reason === "checksum" ? " Its check symbol does not fit: is it mistyped?" : "";
    return { ok: false, message: `${id} is no ${reader.type} id.${hint}` };
  }
  const [row] = await reader.read(decoded.id);
  if (row === undefined) return { ok: false, message: `There is no ${reader.type} ${id}.` };
  return { ok: true, subject: { type: reader.type, row } as Subject };
}
