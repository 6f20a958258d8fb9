import type { CheckViolation } from "../../../wire/src/reports.ts";
import { big, int, text } from "../ask.ts";
import { mostViews } from "../chain-state.ts";
import type { RowCheck } from "./check.ts";

type OnChain = { verifiedReduction: bigint; issued: bigint };

const overIssue: RowCheck = {
  id: "certificate-over-issue",
  title: "No certificate has more allocated or issued than it verifies",
  examined: "select count(*) as n from certificate",
  violations: `select certificate_id, verified_reduction::text as verified, allocated::text as allocated,
      issued::text as issued
    from certificate where issued > verified_reduction or allocated > verified_reduction`,
  async chain(ask, chain) {
    const rows = await ask(
      `select "index", certificate_id, issued::text as issued, verified_reduction::text as verified
       from certificate order by "index" limit ${mostViews + 1}`,
    );
    if (rows.length > mostViews) return { violations: null, reason: `there are more than ${mostViews} certificates.` };
    const calls = rows.map(({ index }) => ({
      contract: "certificates" as const,
      view: "certificateOf",
      args: [int(index)],
    }));
    const read = await chain.read(calls);
    if (read.answers === null) return { violations: null, reason: read.reason };
    const { answers } = read;
    const violations: CheckViolation[] = [];
    for (const [i, row] of rows.entries()) {
      const { issued, verifiedReduction } = answers[i] as OnChain;
      const isWrong =
        issued > verifiedReduction || issued !== big(row.issued) || verifiedReduction !== big(row.verified);
      if (isWrong) {
        const onChain = { issuedOnChain: `${issued}`, verifiedOnChain: `${verifiedReduction}` };
        violations.push({ certificate_id: text(row.certificate_id), issued: text(row.issued), ...onChain });
      }
    }
    return { violations };
  },
};

/** The spent and the spendable amount of each certificate's vouchers. */
const voucherSums = `select certificate, sum(amount) as amount from (
    select certificate, sum(remaining) as amount from voucher where status <> 'cancelled' group by certificate
    union all
    select certificate, sum(amount) as amount from redemption where refunded_to is null group by certificate
  ) as parts group by certificate`;

const vouchersWithinCertificate: RowCheck = {
  id: "vouchers-within-certificate",
  title: "What a certificate's vouchers have spent and may still spend is within what it verifies",
  examined: "select count(*) as n from certificate",
  violations: `select c.certificate_id, c.verified_reduction::text as verified, s.amount::text as spent_and_left
    from certificate c join (${voucherSums}) s on s.certificate = c."index" where s.amount > c.verified_reduction`,
  missing: {
    count: `select count(*) as n from voucher v where not exists (select 1 from certificate c where c."index" = v.certificate)`,
    reason: "vouchers name a certificate that is not there.",
  },
};

const issuedWithinVerified: RowCheck = {
  id: "issued-within-verified",
  title: "All that was issued is within all that was verified",
  examined: "select count(*) as n from certificate",
  violations: `select sum(issued)::text as issued, sum(verified_reduction)::text as verified from certificate
    having sum(issued) > sum(verified_reduction)`,
};

const revokedDebts: RowCheck = {
  id: "revoked-debts-paid",
  title: "Every implementer has paid what its revoked certificates issued, and what the pool went without",
  examined: "select count(*) as n from implementer",
  violations: `select did, debt::text as debt, replacement::text as owed_to_pool from implementer
    where debt > 0 or replacement > 0`,
  async chain(ask, chain) {
    const rows = await ask(
      `select "index", did, debt::text as debt, replacement::text as replacement
       from implementer order by "index" limit ${mostViews + 1}`,
    );
    if (rows.length * 2 > mostViews) return { violations: null, reason: `there are too many implementers.` };
    const calls = rows.flatMap(({ index }) =>
      ["debtOf", "replacementOf"].map((view) => ({ contract: "certificates" as const, view, args: [int(index)] })),
    );
    const read = await chain.read(calls);
    if (read.answers === null) return { violations: null, reason: read.reason };
    const { answers } = read;
    const violations: CheckViolation[] = [];
    for (const [i, { did, debt, replacement }] of rows.entries()) {
      const [onChain, owedOnChain] = [big(answers[2 * i]), big(answers[2 * i + 1])];
      const isPaid = onChain === 0n && owedOnChain === 0n;
      if (isPaid && onChain === big(debt) && owedOnChain === big(replacement)) continue;
      violations.push({ did: text(did), debtOnChain: `${onChain}`, owedToPoolOnChain: `${owedOnChain}` });
    }
    return { violations };
  },
};

const overlappingSerials: RowCheck = {
  id: "overlapping-serials",
  title: "No two certificates of a registry share a serial",
  examined: "select count(*) as n from certificate",
  violations: `select certificate_id, registry, first_serial::text as first_serial, last_serial::text as last_serial,
      reach::text as taken_up_to
    from (select *, max(last_serial) over (partition by registry order by first_serial, "index"
            rows between unbounded preceding and 1 preceding) as reach from certificate) as ranged
    where reach >= first_serial or last_serial < first_serial`,
};

const credentialReuse: RowCheck = {
  id: "credential-reuse",
  title: "No credential stands behind two certificates, claims or measurements",
  examined: `select (select count(*) from certificate) + (select count(*) from claim) + (select count(*) from kpt_claim) as n`,
  violations: `select credential_hash, count(*)::integer as uses, min(id) as first_use, max(id) as last_use from (
      select credential_hash, certificate_id as id from certificate
      union all select credential_hash, public_id from claim
      union all select credential_hash, public_id from kpt_claim
    ) as used group by credential_hash having count(*) > 1`,
};

const campaignCertifiedOnce: RowCheck = {
  id: "campaign-certified-once",
  title: "No certificate is made of two campaigns",
  examined: "select count(*) as n from campaign where certificate is not null",
  violations: `select c.certificate_id, count(*)::integer as campaigns from campaign k
    join certificate c on c."index" = k.certificate group by c.certificate_id having count(*) > 1`,
};

/**
 * A campaign's certificate is for the whole year of its vintage. Another certificate without allocations names its household by its
 * voucher, and is compared with campaigns' certificates. A revoked certificate counts nothing.
 */
const householdPeriodCertifiedOnce: RowCheck = {
  id: "household-period-certified-once",
  title: "No household is in two certificates of the same time",
  examined: "select count(*) as n from certificate where status <> 'revoked'",
  violations: `with counted as (
      select c.*, exists (select from campaign k where k.certificate = c."index") as is_of_campaign
      from certificate c where c.status <> 'revoked'
    ), chunk as materialized (
      select c.certificate, c.count, decode(substr(c.leaves, 3), 'hex') as bytes from allocation_chunk c
      where c.certificate in (select "index" from counted)
    ), leaf as (
      select c.certificate, substr(c.bytes, 1 + 12 * i, 4) as household from chunk c, generate_series(0, c.count - 1) as i
      union
      select v.certificate, decode(lpad(to_hex(v.household), 8, '0'), 'hex') from voucher v
      join counted c on c."index" = v.certificate where c.allocation_count = 0 and not c.is_of_campaign
    )
    select one.certificate_id, other.certificate_id as other_certificate_id, count(*)::integer as households
    from leaf a join leaf b on b.household = a.household and a.certificate < b.certificate
    join counted one on one."index" = a.certificate join counted other on other."index" = b.certificate
    where (one.is_of_campaign or other.is_of_campaign or (one.allocation_count > 0 and other.allocation_count > 0))
      and ((one.period_start <= other.period_end and other.period_start <= one.period_end)
        or (one.vintage = other.vintage and (one.is_of_campaign or other.is_of_campaign)))
    group by one.certificate_id, other.certificate_id`,
};

export const certificateChecks: RowCheck[] = [
  overIssue,
  vouchersWithinCertificate,
  issuedWithinVerified,
  revokedDebts,
  overlappingSerials,
  credentialReuse,
  campaignCertifiedOnce,
  householdPeriodCertifiedOnce,
];
