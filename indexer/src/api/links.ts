import type { certificate, claim, payment } from "ponder:schema";
import { encodeVoucherId } from "../../schema/ids.ts";
import type { Redemption, Voucher } from "./trace.ts";

type End = { type: "certificate" | "voucher" | "redemption" | "claim" | "payment"; id: string };
export type Link = { from: End; to: End; relation: string; transactionHash: string };

type Settled = {
  claims: Map<bigint, typeof claim.$inferSelect>;
  payments: Map<bigint, typeof payment.$inferSelect>;
};

/** Every step of the chain with the transaction that made it, from the certificate on. */
export function linksOf(
  source: typeof certificate.$inferSelect,
  vouchers: Voucher[],
  redemptions: Redemption[],
  { claims, payments }: Settled,
): Link[] {
  const links: Link[] = [];
  const origin: End = { type: "certificate", id: source.certificateId };
  for (const row of vouchers) {
    const to: End = { type: "voucher", id: row.publicId };
    links.push({ from: origin, to, relation: "issued", transactionHash: row.transactionHash });
    if (row.replacesId === null) continue;
    const from: End = { type: "voucher", id: encodeVoucherId(row.replacesId) };
    links.push({ from, to, relation: "reissued", transactionHash: row.transactionHash });
  }
  for (const row of redemptions) {
    const from: End = { type: "voucher", id: encodeVoucherId(row.voucherId) };
    const spent: End = { type: "redemption", id: row.publicId };
    links.push({ from, to: spent, relation: "redeemed", transactionHash: row.transactionHash });
    const claimed = claims.get(row.id);
    if (claimed === undefined) continue;
    const proof: End = { type: "claim", id: claimed.publicId };
    links.push({ from: spent, to: proof, relation: "claimed", transactionHash: claimed.transactionHash });
    const paid = payments.get(row.id);
    if (paid === undefined) continue;
    // A claim is paid once, so its payment goes by its id.
    const money: End = { type: "payment", id: claimed.publicId };
    links.push({ from: proof, to: money, relation: "paid", transactionHash: paid.transactionHash });
  }
  return links;
}
