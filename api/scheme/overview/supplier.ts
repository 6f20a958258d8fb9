import { isoTime } from "../../platform/chain/index.ts";
import { big, type IndexerRow, int, parameters } from "../../platform/indexer/index.ts";
import { jsonAmount } from "../../platform/values/numbers.ts";
import type { OverviewDeps } from "./deps.ts";
import type { Overview } from "./schemas.ts";

type SupplierOverview = NonNullable<Overview["supplier"]>;

/** Sum up a supplier's redemptions and payments. @param since seconds since 1970 */
export async function supplierOverview(
  { indexer, registry }: Pick<OverviewDeps, "indexer" | "registry">,
  supplierDid: string,
  since: bigint,
): Promise<SupplierOverview | null> {
  const supplier = await registry.suppliers.byDid(supplierDid);
  if (supplier === null) return null;
  const redemptions = parameters();
  const [own, from] = [redemptions.add(supplier.supplier), redemptions.add(since)];
  const payments = parameters();
  const [paidTo, paidFrom] = [payments.add(supplier.supplier), payments.add(since)];
  const [byStatus, byAsset] = await Promise.all([
    indexer.query(
      `select r.status, count(*) as n, sum(r.amount) as carbon, min(r.deadline) as deadline,
        count(*) filter (where r.redeemed_at >= ${from} and r.refunded_to is null) as today_n,
        coalesce(sum(r.amount) filter (where r.redeemed_at >= ${from} and r.refunded_to is null), 0) as today
       from redemption r where r.supplier = ${own} group by r.status`,
      redemptions.values,
    ),
    indexer.query(
      `select p.asset, count(*) as n, sum(p.amount) as amount,
        coalesce(sum(p.amount) filter (where p.paid_at >= ${paidFrom}), 0) as today
       from payment p where p.supplier = ${paidTo} group by p.asset`,
      payments.values,
    ),
  ]);
  const count = (rows: IndexerRow[], column: string) => rows.reduce((total, row) => total + int(row[column]), 0);
  const sum = (rows: IndexerRow[], column: string) =>
    jsonAmount(rows.reduce((total, row) => total + big(row[column]), 0n));
  const having = (...statuses: string[]) => byStatus.filter(({ status }) => statuses.includes(String(status)));
  const asset = (name: string) => byAsset.filter((row) => row.asset === name);
  const toClaim = having("pending_delivery");
  const inReview = having("under_review", "disputed");
  return {
    supplierDid,
    today: {
      count: count(byStatus, "today_n"),
      carbon: sum(byStatus, "today"),
      paidInStablecoin: sum(asset("stablecoin"), "today"),
      paidInCarbon: sum(asset("CARBON"), "today"),
    },
    toClaim: {
      count: count(toClaim, "n"),
      carbon: sum(toClaim, "carbon"),
      nextDeadline: toClaim[0] === undefined ? null : isoTime(big(toClaim[0].deadline)),
    },
    inReview: { count: count(inReview, "n"), carbon: sum(inReview, "carbon") },
    paid: {
      count: count(byAsset, "n"),
      stablecoin: sum(asset("stablecoin"), "amount"),
      carbon: sum(asset("CARBON"), "amount"),
    },
  };
}
