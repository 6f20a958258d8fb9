import type { certificate, claim, payment } from "ponder:schema";
import { encodeVoucherId } from "../../../wire/src/ids.ts";
import type { TraceEnd as End, TraceLink } from "../../../wire/src/reports.ts";
import type { CarbonMoveKind } from "../../schema/carbon.ts";
import type { ItmoActionSubtype, ItmoActionType } from "../../schema/itmo-words.ts";
import type { Measured } from "./campaign-trace.ts";
import type { Redemption, Voucher } from "./gather.ts";

/** The relation of two ends: a step of the scheme, a movement of CARBON, or an action on ITMOs in the terms of the AEF. */
export type Relation =
  | "drawn"
  | "recorded"
  | "counted"
  | "closed"
  | "certified"
  | "issued"
  | "reissued"
  | "redeemed"
  | "claimed"
  | "paid"
  | "sold"
  | "bought"
  | "split"
  | "minted"
  | CarbonMoveKind
  | ItmoActionType
  | ItmoActionSubtype;
export type Link = TraceLink & { relation: Relation };
type Certificate = typeof certificate.$inferSelect;

type Settled = {
  claims: Map<bigint, typeof claim.$inferSelect>;
  payments: Map<bigint, typeof payment.$inferSelect>;
};

/** Link every step from the certificates to the payments, each with its transaction. */
export function linksOf(
  sources: Map<number, Certificate>,
  vouchers: Voucher[],
  redemptions: Redemption[],
  { claims, payments }: Settled,
): Link[] {
  const links: Link[] = [];
  for (const row of vouchers) {
    const origin: End = { type: "certificate", id: sources.get(row.certificateIndex)?.certificateId ?? "" };
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
    // A claim is paid once, so its payment has its id.
    const money: End = { type: "payment", id: claimed.publicId };
    links.push({ from: proof, to: money, relation: "paid", transactionHash: paid.transactionHash });
  }
  return links;
}

/** Link the steps before the certificate: campaign, draw, claims, result. A draw's id is its seed, a result's its hash. */
export function campaignLinks({ campaign, claims }: Measured, source: Certificate | undefined): Link[] {
  const links: Link[] = [];
  const link = (from: End, to: End, relation: Relation, transactionHash: string | null) => {
    if (transactionHash !== null) links.push({ from, to, relation, transactionHash });
  };
  const origin: End = { type: "campaign", id: campaign.campaignId };
  const draw: End = { type: "draw", id: campaign.seed ?? "" };
  const result: End = { type: "result", id: campaign.resultHash ?? "" };
  link(origin, draw, "drawn", campaign.drawTransactionHash);
  for (const row of claims) {
    const measured: End = { type: "kpt-claim", id: row.publicId };
    link(draw, measured, "recorded", row.transactionHash);
    // A claim that was revoked before the close is not in the result.
    const counts = row.revocationSequence === null || row.revocationSequence > (campaign.closeSequence ?? 0n);
    if (counts) link(measured, result, "counted", campaign.closeTransactionHash);
  }
  link(origin, result, "closed", campaign.closeTransactionHash);
  if (source !== undefined) {
    const made: End = { type: "certificate", id: source.certificateId };
    link(result, made, "certified", campaign.certificationTransactionHash);
  }
  return links;
}
