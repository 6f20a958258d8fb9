import type { RowCheck } from "./check.ts";

const voucherOverspent: RowCheck = {
  id: "voucher-overspent",
  title: "What a voucher has left and what was spent of it are within its value",
  examined: "select count(*) as n from voucher",
  violations: `select v.public_id, v.value::text as value, v.remaining::text as remaining, s.spent::text as spent
    from voucher v
    left join (select voucher, sum(amount) as spent from redemption where refunded_to is distinct from 'voucher'
               group by voucher) s on s.voucher = v.id
    where v.remaining + coalesce(s.spent, 0) > v.value`,
  missing: {
    count: `select count(*) as n from redemption r where not exists (select 1 from voucher v where v.id = r.voucher)`,
    reason: "redemptions name a voucher that is not there.",
  },
};

const paymentSettlesClaim: RowCheck = {
  id: "payment-settles-claim",
  title: "Every payment settles one claim of one redemption, for its amount",
  examined: "select count(*) as n from payment",
  violations: `select p.transaction_hash, p.carbon_amount::text as paid_for, c.public_id as claim,
      c.carbon_amount::text as claimed, r.amount::text as redeemed, r.refunded_to
    from payment p join claim c on c.id = p.claim join redemption r on r.id = p.claim
    where p.carbon_amount <> c.carbon_amount or c.carbon_amount <> r.amount or r.refunded_to is not null`,
  missing: {
    count: `select count(*) as n from payment p where not exists (select 1 from claim c join redemption r on r.id = c.id
      where c.id = p.claim)`,
    reason: "payments name a claim that is not there.",
  },
};

export const voucherChecks: RowCheck[] = [voucherOverspent, paymentSettlesClaim];
