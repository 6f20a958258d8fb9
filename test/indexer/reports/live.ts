import assert from "node:assert/strict";
import { type Decimal, parseExact, toMicro } from "../../../wire/src/exact.ts";
import type { SummaryReport } from "../../../wire/src/reports.ts";

type Json = Record<string, unknown>;
type Ways = { byEvents: number | null; byChain: number | null; agree: boolean | null };
type Answer = { status: number; type: string; bytes: Buffer; json: () => Json };

async function ask(url: string): Promise<Answer> {
  const response = await fetch(url);
  const bytes = Buffer.from(await response.arrayBuffer());
  const type = response.headers.get("content-type") ?? "";
  return { status: response.status, type, bytes, json: () => JSON.parse(bytes.toString()) as Json };
}

async function assertNothingCountedTwice(base: string): Promise<void> {
  const { checks } = (await ask(`${base}/reports/double-counting`)).json() as {
    checks: { id: string; status: string | null; examined: number; ways: Record<string, string | null> }[];
  };
  for (const { id, status, ways } of checks) assert.deepEqual([id, status], [id, "ok"], JSON.stringify(ways));
  const compared = checks.filter(({ ways }) => ways.chain === "ok").map(({ id }) => id);
  assert.deepEqual(compared, [
    "certificate-over-issue",
    "revoked-debts-paid",
    "carbon-supply",
    "lots-of-vintage",
    "authorised-quantity",
    "reductions-kept",
    "consumed-still-held",
    "buffer-by-rule",
  ]);
}

async function assertTables(base: string, year: number): Promise<void> {
  const of = (query: string) => ask(`${base}/reports/aef?year=${year}&${query}`);
  const { tables, validation } = (await of("party=ZMB")).json() as {
    tables: Record<string, Record<string, unknown>[]>;
    validation: unknown[];
  };
  assert.deepEqual(validation, []);
  assert.equal(tables.submission?.[0]?.ParticipatingParty, "ZMB");
  const types = new Set(tables.actions?.map(({ ActionType }) => ActionType));
  assert.deepEqual([...types].sort(), ["Authorization", "Cancellation", "First transfer"]);
  assert.equal((await of("party=CHE&format=csv")).type, "application/zip");
  assert.match((await of("party=CHE&format=csv&table=actions")).bytes.toString(), /\r\n.*,Use,/);
  assert.match((await of("party=ZMB&format=xlsx")).type, /spreadsheetml/);
}

async function assertRefusals(base: string, year: number): Promise<void> {
  const of = (query: string) => ask(`${base}/reports/aef?${query}`);
  // A Party of no approach has no NDC period to report.
  const refused = await of(`party=NOR&year=${year}&format=xlsx`);
  assert.equal(refused.status, 409);
  const { code, details } = refused.json() as { code: string; details: { path: string }[] };
  assert.deepEqual([code, details[0]?.path], ["CONFLICT", "submission[1].FirstYearOfNDCPeriod"]);
  assert.equal((await of(`party=NOR&year=${year}&format=xlsx&draft=true`)).status, 200);
  const wrong = await of("party=zmb&year=26&format=pdf&keys=all&table=x&version=1&draft=no&more=1");
  assert.equal(wrong.status, 400);
  const rules = (wrong.json().details as { path: string }[]).map(({ path }) => path);
  assert.deepEqual(rules, ["party", "year", "format", "keys", "table", "version", "draft", "more"]);
  assert.equal((await of(`party=ZMB&year=${year + 1}`)).status, 400);
  assert.equal((await of(`party=ZMB&year=${year}&table=actions`)).status, 400);
}

async function assertBalance(base: string, vintage: number): Promise<void> {
  const report = (await ask(`${base}/reports/emissions-balance?party=ZMB&year=${vintage}`)).json();
  const first = report.firstTransferred as Ways;
  assert.deepEqual([first.agree, report.balance], [true, first.byEvents]);
  assert.ok((first.byEvents ?? 0) > 0);
  assert.equal((await ask(`${base}/reports/emissions-balance?party=1`)).status, 400);
}

async function assertAccounting(base: string, year: number): Promise<void> {
  const of = (query: string) => ask(`${base}/reports/ndc-accounting?${query}`);
  const report = (await of(`party=ZMB&year=${year}`)).json();
  const { firstTransferred } = report.total as { firstTransferred: Ways };
  assert.equal(firstTransferred.agree, true);
  assert.deepEqual(report.problems, [
    { rule: "method-recorded", message: "The regulator has recorded no method of this Party for the year." },
  ]);
  const corsia = (await ask(`${base}/reports/corsia?party=ZMB`)).json() as { units: { labels: unknown[] }[] };
  assert.ok(corsia.units.length > 0 && corsia.units.every(({ labels }) => labels.length === 3));
  assert.equal((await ask(`${base}/reports/corsia?party=1`)).status, 400);
  const wrong = (await of("party=1&more=1")).json();
  const paths = (wrong.details as { path: string }[]).map(({ path }) => path);
  assert.deepEqual(paths, ["party", "year", "more"]);
}

/** A decimal as a whole number of its smallest units. */
function scaled(value: Decimal, decimals: number): bigint {
  const [units = "", fraction = ""] = String(value).split(".");
  assert.ok(fraction.length <= decimals, `${value} has more than ${decimals} decimals`);
  return BigInt(`${units}${fraction.padEnd(decimals, "0")}`);
}

type Listed = Record<string, string | number | null>;

/** All rows of a table of the index, by GraphQL, page by page. */
async function listOf(base: string, table: string, fields: string): Promise<Listed[]> {
  const rows: Listed[] = [];
  for (let more = true; more; ) {
    const query = `{ found: ${table}(limit: 1000, offset: ${rows.length}) { items { ${fields} } totalCount } }`;
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${base}/graphql`, { method: "POST", headers, body: JSON.stringify({ query }) });
    const { data } = (await response.json()) as { data: { found: { items: Listed[]; totalCount: number } } };
    rows.push(...data.found.items);
    more = rows.length < data.found.totalCount;
  }
  return rows;
}

/** The summary's figures are the exact sums of the lists. */
async function assertSummary(base: string): Promise<void> {
  const report = parseExact((await ask(`${base}/reports/summary`)).bytes.toString()) as SummaryReport;
  const sum = (rows: Listed[], field: string) => rows.reduce((total, row) => total + BigInt(row[field] ?? 0), 0n);
  const [certificates, vouchers, redemptions, claims, conversions] = await Promise.all([
    listOf(base, "certificates", "status verifiedReduction issued"),
    listOf(base, "vouchers", "status value remaining issuedAt"),
    listOf(base, "redemptions", "status amount refundedTo redeemedAt consent"),
    listOf(base, "claims", "status carbonAmount"),
    listOf(base, "itmoConversions", "status amount quantity endedAt"),
  ]);
  const spent = redemptions.filter(({ refundedTo }) => refundedTo === null);
  const converted = conversions.filter(({ status }) => status === "finalised");
  assert.ok(spent.length < redemptions.length && converted.length < conversions.length, "the story has too few states");
  assert.deepEqual(
    Object.entries(report.tonnes).map(([name, value]) => [name, scaled(value, 9)]),
    [
      ["verified", sum(certificates, "verifiedReduction")],
      ["issued", sum(certificates, "issued")],
      ["spent", sum(spent, "amount")],
      ["converted", sum(converted, "amount")],
    ],
  );
  for (const { level, count, carbon } of report.consents) {
    const agreed = spent.filter(({ consent }) => consent === level);
    assert.deepEqual([count, scaled(carbon, 6)], [agreed.length, sum(agreed, "amount")], level);
  }
  assert.equal(
    report.consents.reduce((total, { count }) => total + count, 0),
    spent.length,
  );
  const states: [object[], Listed[], [string, string, number][]][] = [
    [
      report.certificates,
      certificates,
      [
        ["verified", "verifiedReduction", 6],
        ["issued", "issued", 6],
      ],
    ],
    [
      report.vouchers,
      vouchers,
      [
        ["value", "value", 6],
        ["remaining", "remaining", 6],
      ],
    ],
    [report.redemptions, redemptions, [["carbon", "amount", 6]]],
    [report.claims, claims, [["carbon", "carbonAmount", 6]]],
    [
      report.conversions,
      conversions,
      [
        ["carbon", "amount", 6],
        ["tonnes", "quantity", 0],
      ],
    ],
  ];
  for (const [shown, rows, sums] of states) {
    const counted = (shown as (Record<string, Decimal> & { status: string; count: number })[]).map((each) => [
      each.status,
      each.count,
      ...sums.map(([name, , decimals]) => scaled(each[name] ?? 0, decimals)),
    ]);
    const names = [...new Set(rows.map(({ status }) => String(status)))].sort();
    const expected = names.map((status) => {
      const some = rows.filter((row) => row.status === status);
      return [status, some.length, ...sums.map(([, field]) => sum(some, field))];
    });
    assert.deepEqual(counted, expected);
  }
  assert.equal(report.days.length, 30);
  assert.equal(report.days.at(-1)?.date, report.asOf.slice(0, 10));
  for (const [index, { date, ...amounts }] of report.days.entries()) {
    const begin = Date.parse(report.days[0]?.date ?? "") / 1_000 + index * 86_400;
    assert.equal(date, new Date(begin * 1_000).toISOString().slice(0, 10));
    const on = (rows: Listed[], field: string) =>
      rows.filter((row) => Number(row[field]) >= begin && Number(row[field]) < begin + 86_400);
    assert.deepEqual(
      [amounts.issued, amounts.spent, amounts.converted].map((each) => scaled(each, 6)),
      [
        sum(on(vouchers, "issuedAt"), "value"),
        sum(on(spent, "redeemedAt"), "amount"),
        sum(on(converted, "endedAt"), "amount"),
      ],
    );
  }
  assert.ok(report.days.some(({ spent }) => scaled(spent, 6) > 0n));
  assert.equal((await ask(`${base}/reports/summary?year=2026`)).status, 400);
}

async function assertReconciled(base: string, date: string, supplierDid: string): Promise<void> {
  const of = (query: string) => ask(`${base}/reports/reconciliation?date=${date}${query}`);
  const all = (await of("")).json() as {
    pool: { reserves: Record<string, { closing: Ways }> };
    suppliers: { did: string; balances: Record<string, { closing: Ways }> }[];
  };
  for (const { closing } of Object.values(all.pool.reserves)) assert.equal(closing.agree, true);
  for (const { balances } of all.suppliers) {
    assert.deepEqual([balances.debt?.closing.agree, balances.carbonBalance?.closing.agree], [true, true]);
  }
  assert.ok(all.suppliers.some(({ did }) => did === supplierDid));
  const seen: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page = (await of(`&supplierDid=${supplierDid}&limit=4${cursor && `&cursor=${cursor}`}`)).json();
    seen.push(...(page.items as { type: string }[]).map(({ type }) => type));
    cursor = page.nextCursor as string | null;
  }
  assert.ok(
    ["redemption", "claim", "payment"].every((type) => seen.includes(type)),
    seen.join(),
  );
  assert.equal((await of("&supplierDid=did:no")).status, 404);
  assert.equal((await of("&supplierDid=a&implementerDid=b")).status, 400);
  assert.equal((await ask(`${base}/reports/reconciliation?date=2026-02-30`)).status, 400);
}

/** The regulator's reports of a running indexer that has seen the stories: nothing is counted twice, both ways agree. */
export async function assertReports(base: string, seconds: number): Promise<void> {
  const at = new Date(seconds * 1_000);
  await assertSummary(base);
  await assertNothingCountedTwice(base);
  await assertTables(base, at.getUTCFullYear());
  await assertRefusals(base, at.getUTCFullYear());
  await assertBalance(base, 2023);
  await assertAccounting(base, at.getUTCFullYear());
  await assertReconciled(base, at.toISOString().slice(0, 10), "did:ixo:supplier/2");
}

/** The report of exceptions after certificate 2 was revoked: its sums add up, and events and chain agree. */
export async function assertExceptions(
  base: string,
  expected: { certificateReason: string; implementerDebt: bigint },
): Promise<void> {
  const answer = await ask(`${base}/reports/exceptions`);
  assert.equal(answer.status, 200, answer.bytes.toString());
  const { certificates, implementers } = parseExact(answer.bytes.toString()) as {
    certificates: (Record<string, Decimal> & { issued: { byEvents: Decimal; agree: boolean } })[];
    implementers: { debt: { byEvents: Decimal; agree: boolean }; replacement: { agree: boolean } }[];
  };
  const [only] = certificates;
  assert.deepEqual([certificates.length, only?.status, only?.reason], [1, "revoked", expected.certificateReason]);
  assert.equal(only?.issued.agree, true);
  const sum = [only?.unspent, only?.openRedemptions, only?.released].map((each) => toMicro(each ?? 0));
  assert.equal(
    toMicro(only?.issued.byEvents ?? 0),
    sum.reduce((total, each) => total + each, 0n),
  );
  const [implementer] = implementers;
  assert.deepEqual([implementer?.debt.agree, implementer?.replacement.agree], [true, true]);
  assert.equal(toMicro(implementer?.debt.byEvents ?? 0), expected.implementerDebt);
  assert.equal((await ask(`${base}/reports/exceptions?limit=0&cursor=x&more=1`)).status, 400);
}
