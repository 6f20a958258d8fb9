import { z } from "zod";
import { fromMicro } from "../../../../wire/src/exact.ts";
import type { DoubleCountingReport } from "../../../../wire/src/reports.ts";
import type { Facade } from "../host/facade.ts";
import { defineOracleTool, type OracleTool, type ToolContext } from "../host/tool.ts";

/** Most records that a result lists. */
const mostRecords = 10;

/** What is counted of a group of records. Amounts are CARBON, as decimal text. */
export type Counted = { status: string; count: number; carbon: string };
export type VoucherCounts = {
  /** The certificate whose vouchers are counted; null for all vouchers. */
  certificateId: string | null;
  total: number;
  states: (Counted & { remaining: string })[];
  /** The newest vouchers of the state that was asked for. */
  newest: { voucherId: string; status: string; carbon: string; remaining: string }[];
};
export type AmountsOwed = {
  /** The caller's role in the scheme. */
  role: string;
  /** The supplier whose amounts these are; null for all suppliers together. */
  supplierDid: string | null;
  /** Redeemed, and not paid yet, CARBON. */
  total: string;
  /** The same by state. */
  owed: Counted[];
  paid: { asset: string; count: number; amount: string }[];
  /** What the supplier owes from claims found invalid. */
  debt: string;
  /** The oldest redemptions that are not paid. */
  oldest: { redemptionId: string; status: string; carbon: string; redeemedAt: string }[];
};
export type Problems = {
  block: number;
  checked: number;
  violated: { id: string; title: string; violations: number }[];
  unchecked: { id: string; title: string; reason: string }[];
  /** Records that wait for a decision or were stopped. */
  stopped: { what: "claims" | "vouchers" | "certificates"; status: string; count: number }[];
};

type Row = { [column: string]: string | number | null };

/** Tools that answer what people ask first, in figures. Each reads the public index. */
export function figureTools(facade: Facade): OracleTool[] {
  const rowsOf = async (ctx: ToolContext, sql: string): Promise<Row[]> => {
    const path = `/sql?${new URLSearchParams({ query: sql })}`;
    const { text } = await facade.call(ctx, { method: "GET", path });
    return (JSON.parse(text) as { rows: Row[] }).rows;
  };
  return [
    defineOracleTool({
      name: "count_vouchers",
      description:
        "Counts vouchers by state, all or those of a certificate: number, CARBON issued and CARBON left. Lists the newest ones of a state.",
      inputSchema: z.strictObject({
        emissionCertificateId: z.string().min(1).max(256).optional(),
        status: z.enum(voucherStates).optional(),
      }),
      destructive: false,
      readOnly: true,
      run: ({ ctx, input }) => countVouchers((sql) => rowsOf(ctx, sql), input),
    }),
    defineOracleTool({
      name: "get_amounts_owed",
      description:
        "What is owed to the user, a supplier: redemptions that are not paid, by state, and what was paid. For other roles, of all suppliers together.",
      inputSchema: z.strictObject({}),
      destructive: false,
      readOnly: true,
      run: async ({ ctx }) => {
        const { text } = await facade.call(ctx, { method: "GET", path: "/v1/keys/self" });
        return amountsOwed((sql) => rowsOf(ctx, sql), JSON.parse(text) as Self);
      },
    }),
    defineOracleTool({
      name: "find_problems",
      description:
        "What is wrong in the scheme: checks against double counting that fail or could not run, and claims, vouchers and certificates that are held, disputed, suspended or revoked.",
      inputSchema: z.strictObject({}),
      destructive: false,
      readOnly: true,
      run: async ({ ctx }) => {
        const { text } = await facade.call(ctx, { method: "GET", path: "/reports/double-counting" });
        return problems((sql) => rowsOf(ctx, sql), JSON.parse(text) as DoubleCountingReport);
      },
    }),
  ];
}

export const voucherStates = ["active", "exhausted", "expired", "suspended", "cancelled", "swept", "revoked"] as const;

type Ask = (sql: string) => Promise<Row[]>;

/** A text in SQL. */
const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
const carbonOf = (micro: unknown) => fromMicro(BigInt(String(micro)));
const countOf = (value: unknown) => Number(value);

async function countVouchers(
  ask: Ask,
  { emissionCertificateId, status }: { emissionCertificateId?: string | undefined; status?: string | undefined },
): Promise<VoucherCounts> {
  const of =
    emissionCertificateId === undefined
      ? "true"
      : `v.certificate = (select c."index" from certificate c where c.certificate_id = ${quoted(emissionCertificateId)})`;
  const [states, newest] = await Promise.all([
    ask(`select v.status, count(*)::text as n, sum(v.value)::text as carbon, sum(v.remaining)::text as remaining
         from voucher v where ${of} group by v.status order by v.status`),
    ask(`select v.public_id, v.status, v.value::text as carbon, v.remaining::text as remaining from voucher v
         where ${of} and ${status === undefined ? "true" : `v.status = ${quoted(status)}`}
         order by v.sequence desc, v.id desc limit ${mostRecords}`),
  ]);
  const counted = states.map((row) => ({
    status: String(row.status),
    count: countOf(row.n),
    carbon: carbonOf(row.carbon),
    remaining: carbonOf(row.remaining),
  }));
  return {
    certificateId: emissionCertificateId ?? null,
    total: counted.reduce((sum, { count }) => sum + count, 0),
    states: counted,
    newest: newest.map((row) => ({
      voucherId: String(row.public_id),
      status: String(row.status),
      carbon: carbonOf(row.carbon),
      remaining: carbonOf(row.remaining),
    })),
  };
}

type Self = { role: string; supplierDid: string | null };

async function amountsOwed(ask: Ask, { role, supplierDid }: Self): Promise<AmountsOwed> {
  const of = (alias: string) =>
    supplierDid === null
      ? "true"
      : `${alias}.supplier = (select s."index" from supplier s where s.did = ${quoted(supplierDid)})`;
  const unpaid = "r.status in ('pending_delivery', 'under_review', 'disputed')";
  const [owed, paid, debts, oldest] = await Promise.all([
    ask(`select r.status, count(*)::text as n, sum(r.amount)::text as carbon from redemption r
         where ${unpaid} and ${of("r")} group by r.status order by r.status`),
    ask(`select p.asset, count(*)::text as n, sum(p.amount)::text as amount from payment p
         where ${of("p")} group by p.asset order by p.asset`),
    ask(`select coalesce(sum(s.debt), 0)::text as debt from supplier s
         where ${supplierDid === null ? "true" : `s.did = ${quoted(supplierDid)}`}`),
    ask(`select r.public_id, r.status, r.amount::text as carbon, r.redeemed_at::text as redeemed_at from redemption r
         where ${unpaid} and ${of("r")} order by r.sequence limit ${mostRecords}`),
  ]);
  const total = owed.reduce((sum, { carbon }) => sum + BigInt(String(carbon)), 0n);
  return {
    role,
    supplierDid,
    total: fromMicro(total),
    owed: owed.map((row) => ({ status: String(row.status), count: countOf(row.n), carbon: carbonOf(row.carbon) })),
    // Both assets have six decimals.
    paid: paid.map((row) => ({ asset: String(row.asset), count: countOf(row.n), amount: carbonOf(row.amount) })),
    debt: carbonOf(debts[0]?.debt ?? "0"),
    oldest: oldest.map((row) => ({
      redemptionId: String(row.public_id),
      status: String(row.status),
      carbon: carbonOf(row.carbon),
      redeemedAt: new Date(Number(row.redeemed_at) * 1_000).toISOString(),
    })),
  };
}

async function problems(ask: Ask, { block, checks }: DoubleCountingReport): Promise<Problems> {
  const stopped = await ask(`select 'claims' as what, c.status, count(*)::text as n from claim c
      where c.status in ('flagged', 'disputed') group by c.status
    union all select 'vouchers', v.status, count(*)::text from voucher v
      where v.status in ('suspended', 'revoked') group by v.status
    union all select 'certificates', c.status, count(*)::text from certificate c
      where c.status in ('suspended', 'revoked') group by c.status`);
  return {
    block,
    checked: checks.filter(({ status }) => status !== null).length,
    violated: checks
      .filter(({ status }) => status === "violated")
      .map(({ id, title, violations }) => ({ id, title, violations: violations.length })),
    unchecked: checks
      .filter(({ status }) => status === null)
      .map(({ id, title, reason = "" }) => ({ id, title, reason })),
    stopped: stopped.map((row) => ({
      what: row.what as Problems["stopped"][number]["what"],
      status: String(row.status),
      count: countOf(row.n),
    })),
  };
}
