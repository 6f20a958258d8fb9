import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { asc } from "ponder";
import * as schema from "../../indexer/ponder.schema.ts";
import { encodeRedemptionId, encodeVoucherId } from "../../wire/src/ids.ts";
import type { ItmoContext } from "./itmo-cases.ts";

const readme = new URL("../../indexer/README.md", import.meta.url);

type Question = { title: string; sql: string; graphql: string | undefined };

/** The questions of the README, in its order. */
function questionsOf(text: string): Question[] {
  const blockOf = (part: string, language: string) =>
    new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(part)?.[1];
  return text
    .split(/^### (?=\d+\. )/m)
    .slice(1)
    .map((part) => ({
      title: part.split("\n")[0] ?? "",
      sql: blockOf(part, "sql") ?? "",
      graphql: blockOf(part, "graphql"),
    }));
}

type Facts = { days: [number, number]; itmos: ItmoContext["itmos"] };

/** What the story must answer, a question after the other: rows as lists of their columns. */
const answersOf = ({ days: [first, last], itmos }: Facts): unknown[][][] => [
  [
    ["CERT-456", "30000000000", "30000000000", false],
    ["CERT-9", "70000000", "70000000", false],
    ["CERT-KPT-1", "30000000", "30000000", false],
    ["CERT-LPG-1", "4000000000", "4000000000", false],
    ["CERT-LPG-2", "3000000000", "3000000000", false],
  ],
  [
    ["did:ixo:supplier/2", "CARBON", 1, "3000000000", "0"],
    // 4000 CARBON at 0.05, less 1 %.
    ["did:ixo:supplier/2", "stablecoin", 2, "198000000", "0"],
  ],
  [
    [encodeVoucherId(2n), "50000000", last + 5],
    // They came back from redemptions that lapsed, with the time that these took.
    [encodeVoucherId((1n << 32n) | 3n), "100000000", last + 10],
    [encodeVoucherId((1n << 32n) | 6n), "100000000", last + 10],
  ],
  [["ZMB", "1"]],
  [["CERT-LPG-1", encodeRedemptionId(itmos.redemptions[0]), encodeVoucherId(4n), "1300000000", "101", "102"]],
  [[9, 2, 1, 0]],
  [
    [first, 4, "200000000", "10000000", 0, "0", "0"],
    [last, 3, "6999000000", "346450500", 2, "5010000000", "253005000"],
  ],
  [["ZMB-2026-0001", "CA0001", "6", "5", "5", "1"]],
  [["did:ixo:supplier/456", "suspended", 4, "170000000"]],
  [
    ["CERT-456", "30000000000", "300000000", "0", "300000000"],
    ["CERT-9", "70000000", "0", "50000000", "0"],
    ["CERT-KPT-1", "30000000", "0", "0", "0"],
    ["CERT-LPG-1", "4000000000", "4000000000", "0", "4000000000"],
    ["CERT-LPG-2", "3000000000", "3000000000", "0", "700000000"],
  ],
];

type Row = Record<string, unknown>;

/** What the same questions answer in GraphQL, where the README asks them so: by title number, as rows of values. */
const graphqlAnswers: Record<string, (data: Record<string, { items: Row[] }>) => unknown> = {
  "1": ({ certificates }) =>
    certificates?.items.map((row) => [row.certificateId, row.issued === row.verifiedReduction]),
  "4": ({ itmoBlocks }) => itmoBlocks?.items.map((row) => [row.uniqueId, row.party, row.quantity]),
  "5": ({ itmoConversions }) =>
    itmoConversions?.items.flatMap((row) =>
      (row.lots as { items: { amount: string; certificate: Row }[] }).items.map(({ amount, certificate }) => [
        certificate.certificateId,
        amount,
      ]),
    ),
  "7": ({ poolDays }) => poolDays?.items.map((row) => [row.purchases, row.carbonBought, row.sales, row.carbonSold]),
};

const graphqlExpected: Record<string, unknown> = {
  "1": ["CERT-456", "CERT-9", "CERT-KPT-1", "CERT-LPG-1", "CERT-LPG-2"].map((id) => [id, true]),
  "4": [["CA0001-ZMB01-ZMB-102-102-2023", "ZMB", "1"]],
  "5": [["CERT-LPG-1", "1300000000"]],
  "7": [
    [4, "200000000", 0, "0"],
    [3, "6999000000", 2, "5010000000"],
  ],
};

/** Every query of the index's README, sent anonymously and unchanged. */
export function questionCases(context: () => ItmoContext): void {
  const questions = questionsOf(readFileSync(readme, "utf8"));
  const post = async (path: string, query: string) => {
    const body = JSON.stringify({ query });
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${context().live.url}${path}`, { method: "POST", headers, body });
    return { status: response.status, body: (await response.json()) as Row };
  };
  const factsOf = async (): Promise<Facts> => {
    const { live, itmos } = context();
    const paid = await live.client.db.select().from(schema.payment).orderBy(asc(schema.payment.sequence));
    const dayOf = (row: (typeof paid)[number] | undefined) => Number((row?.paidAt ?? 0n) / 86_400n);
    return { days: [dayOf(paid[0]), dayOf(paid.at(-1))], itmos };
  };

  it("answers ten questions of regulators as the README has them", async () => {
    const facts = await factsOf();
    const expected = answersOf(facts);
    assert.equal(questions.length, expected.length);
    const filled = (text: string) =>
      text
        .replaceAll(":day", String(facts.days[1]))
        .replaceAll(":time", String(2n ** 40n))
        .replaceAll(":registry", facts.itmos.registryId)
        .replaceAll(":serial", "101");
    for (const [i, { title, sql, graphql }] of questions.entries()) {
      const answer = await post("/sql", filled(sql));
      assert.equal(answer.status, 200, `${title} ${JSON.stringify(answer.body)}`);
      const rows = (answer.body.rows as Row[]).map((row) => Object.values(row));
      assert.deepEqual(rows, expected[i], title);
      const number = title.split(".")[0] ?? "";
      assert.equal(graphql !== undefined, number in graphqlExpected, title);
      if (graphql === undefined) continue;
      const { body } = await post("/graphql", filled(graphql));
      const data = body.data as Record<string, { items: Row[] }>;
      assert.deepEqual(graphqlAnswers[number]?.(data), graphqlExpected[number], title);
    }
  });

  it("refuses anonymous GraphQL that would multiply, in the one error shape", async () => {
    const nested = "{ certificates { items { vouchers { items { redemptions { items { publicId } } } } } } }";
    const { status, body } = await post("/graphql", nested);
    assert.deepEqual([status, body.code, (body.details as Row[])[0]?.rule], [400, "INVALID_INPUT", "cheap"]);
    const names = `{ households(limit: 1000) { items { a: vouchers { __typename } b: vouchers { __typename } } } }`;
    assert.equal((await post("/graphql", names)).status, 400);
    assert.equal((await post("/graphql", "x".repeat(40_000))).status, 400);
    const meta = (await post("/graphql", "{ _meta { status } }")).body as { data: { _meta: { status: Row } } };
    assert.ok(meta.data._meta.status.hearth);
    const form = await fetch(`${context().live.url}/graphql`, { method: "POST", body: "query={x}" });
    assert.equal(form.status, 400);
  });

  it("answers a trace quickly while anonymous clients query as much as they may", async () => {
    const { live, get } = context();
    const heavy = "select count(*) as n from activity a join activity b on b.block_number >= a.block_number";
    const asked = Array.from({ length: 40 }, async (_, i) => {
      // Each its own, so that none is answered from memory.
      const query = encodeURIComponent(`${heavy} where a.log_index < ${1_000 + i}`);
      const answer = await fetch(`${live.url}/sql?query=${query}`);
      return [answer.status, await answer.text()];
    });
    const begin = performance.now();
    const trace = await get("/reports/trace/ZMB01-101");
    const waited = performance.now() - begin;
    assert.equal(trace.status, 200);
    assert.ok(waited < 3_000, `a trace took ${Math.round(waited)} ms`);
    const statuses = (await Promise.all(asked)).map(([status]) => status);
    assert.ok(statuses.includes(200));
    const others = statuses.filter((status) => status !== 200 && status !== 429 && status !== 503);
    assert.deepEqual(others, []);
  });
}
