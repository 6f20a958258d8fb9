import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import { claimsOf, exampleCampaign } from "../../../../test/support/campaign-result.ts";
import { resultOf } from "./result.ts";
import { resultCsv } from "./result-csv.ts";

const claims = [
  ...claimsOf("reference", [17_700, 18_300, 18_000, 18_600, 10_000]),
  ...claimsOf("intervention", [6_000, 9_000, 12_000]),
];

type Fact = Record<"section" | "of" | "name" | "value" | "unit" | "source", string>;
const factsOf = (csv: string): Fact[] => parse(csv, { columns: true });

function find(facts: Fact[], section: string, of: string, name: string): Fact {
  const found = facts.filter((each) => each.section === section && each.of === of && each.name === name);
  assert.equal(found.length, 1, `${section} ${of} ${name}`);
  return found[0] as Fact;
}

test("writes one fact a row, that a program finds by section, group and name", () => {
  const facts = factsOf(
    resultCsv(
      "KPT-2026",
      resultOf(exampleCampaign(), claims, () => null),
    ),
  );
  assert.deepEqual(find(facts, "group", "intervention", "mean"), {
    section: "group",
    of: "intervention",
    name: "mean",
    value: "3",
    unit: "kg/household/day",
    source: "",
  });
  assert.equal(find(facts, "household", "reference", "position 4").value, "3.333333333333");
  assert.equal(find(facts, "group", "reference", "outlier, low: position 4").source, "KPT-reference-4");
  assert.match(find(facts, "reduction", "smec-4", "er").value, /^-?\d+\.\d{30,}$/);
  assert.equal(
    find(facts, "line", "smec-4", "NCV").source,
    "IPCC 2006 Guidelines, volume 2, table 1.2, wood / wood waste",
  );
});

test("writes no text that is read as a formula, and leaves a negative figure a number", () => {
  const terms = { ...exampleCampaign().terms, fnrbApproval: "=1+1", fnrb: "0.9" };
  const result = resultOf(exampleCampaign({ terms }), claims, () => null);
  const facts = factsOf(resultCsv('=HYPERLINK("http://x")', result));
  assert.equal(find(facts, "campaign", "", "campaignId").value, `'=HYPERLINK("http://x")`);
  const adjustment = find(facts, "line", "smec-4", "Baseline: adjustment for precision");
  assert.match(adjustment.value, /^-\d/);
  for (const { section, of, name, unit, source } of facts) {
    for (const cell of [section, of, name, unit, source]) assert.doesNotMatch(cell, /^[=+@\t\r-]/);
  }
});

test("names what was assumed and which rules stand against a reduction", () => {
  const facts = factsOf(
    resultCsv(
      "KPT-2026",
      resultOf(exampleCampaign({ terms: {} }), claims.slice(0, 5), () => null),
    ),
  );
  assert.equal(find(facts, "assumption", "smec-4", "usage").source, "usage is assumed: every unit is in use.");
  assert.equal(find(facts, "broken rule", "smec-4", "group-measured").value, "intervention");
  assert.equal(find(facts, "saving", "", "mean").value, "");
});
