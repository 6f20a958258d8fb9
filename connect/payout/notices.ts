import type { NoticeReader, RoomNotice } from "../room.ts";
import type { PayoutDeps } from "./deps.ts";

/** Read what concerns a person: failed payouts, and to the supplier each change of its mobile account. */
export async function payoutNotices(
  { accounts, orders }: PayoutDeps,
  { role, supplierDid }: NoticeReader,
  since: Date,
): Promise<RoomNotice[]> {
  if (role !== "admin" && role !== "regulator" && role !== "supplier") return [];
  const own = role === "supplier" ? (supplierDid ?? "") : undefined;
  const failed = await orders.failedSince(own, since);
  const changed = own === undefined ? [] : await accounts.changedSince(own, since);
  return [
    ...failed.map(({ paymentId, attempts, endedAt }): RoomNotice => {
      const at = endedAt ?? since;
      return { id: `payout ${paymentId} ${attempts}`, type: "payout.failed", subject: paymentId, at };
    }),
    ...changed.map(({ id, supplierDid: subject, createdAt }): RoomNotice => {
      return { id: `mobile account ${id}`, type: "payout.account_changed", subject, at: createdAt };
    }),
  ];
}
