import assert from "node:assert/strict";
import { before, test } from "node:test";
import { z } from "@hono/zod-openapi";
import { AppError } from "../../api/platform/errors.ts";
import { parseJsonBody } from "../../api/platform/values/json.ts";
import type { Estimate } from "../../api/scheme/emissions/campaign/estimate.ts";
import { type CampaignOutcome, evaluateCampaign } from "../../api/scheme/emissions/campaign/evaluate.ts";
import type { Reading } from "../../api/scheme/emissions/campaign/fuel-use.ts";
import { campaignInput } from "../../api/scheme/emissions/campaign/schemas.ts";
import { type Decimal, decimal, decimalText } from "../../api/scheme/emissions/decimal.ts";
import { methods } from "../../api/scheme/emissions/methods/registry.ts";
import { methodInputs } from "../../api/scheme/emissions/methods/schemas.ts";
import { isAsPrinted, jsonOf, mecdMethod1 } from "../support/published-examples.ts";
import { python, skip } from "./python.ts";

const seed = 20_261_125;
const campaigns = 500;
const meteredProjects = 100;
const greatestError = decimal("1e-12");

const generated = z.strictObject({
  campaigns: z.array(campaignInput),
  metered: z.array(z.strictObject({ method: z.string(), inputs: methodInputs })),
});
type Json = null | string | number | boolean | Json[] | { [name: string]: Json };

let inputs: z.output<typeof generated>;
let opinions: { campaigns: Json[]; metered: Json[] };
before(async () => {
  if (skip !== false) return;
  const made = await python("generate.py", [String(seed), String(campaigns), String(meteredProjects)]);
  inputs = generated.parse(parseJsonBody(made));
  opinions = JSON.parse((await python("second_opinion.py", [], made)).toString("utf8"));
});

const figure = (value: Decimal | null): Json => (value === null ? null : decimalText(value));
const estimate = ({ n, mean, standardError, degreesOfFreedom, halfWidth, precision }: Estimate): Json => ({
  n,
  mean: figure(mean),
  standardError: figure(standardError),
  degreesOfFreedom: figure(degreesOfFreedom),
  halfWidth: figure(halfWidth),
  precision: figure(precision),
});

function reading(read: Reading | null): Json {
  if (read === null) return null;
  const { baseline, project, leakage, reductions } = read.result;
  return {
    fuels: read.fuels.map((use) => ({
      fuel: use.fuel,
      reference: estimate(use.reference),
      intervention: estimate(use.intervention),
      saving: estimate(use.saving),
      baseline: figure(use.baseline),
      project: figure(use.project),
    })),
    result: {
      baseline: figure(baseline),
      project: figure(project),
      leakage: figure(leakage),
      reductions: figure(reductions),
    },
  };
}

const comparable = (outcome: CampaignOutcome): Json => ({
  days: outcome.days,
  devices: outcome.devices,
  usage: {
    usage: figure(outcome.usage.usage),
    bounds: outcome.usage.bounds.map(({ age, bound }) => ({ age, bound: figure(bound) })),
  },
  groups: outcome.groups,
  asMeasured: reading(outcome.asMeasured),
  withMissing: reading(outcome.withMissing),
  certifiable: figure(outcome.certifiable),
  reasons: outcome.reasons.map(({ path, rule }) => `${path} ${rule}`).sort(),
});

/** Every place where two results differ; figures may differ by 1e-12 of themselves. */
function differences(ours: Json, theirs: Json, path = ""): string[] {
  if (typeof ours === "object" && ours !== null && typeof theirs === "object" && theirs !== null) {
    const names = new Set([...Object.keys(ours), ...Object.keys(theirs)]);
    const [a, b] = [ours, theirs] as Record<string, Json>[];
    return [...names].flatMap((name) => differences(a?.[name] ?? null, b?.[name] ?? null, `${path}.${name}`));
  }
  if (ours === theirs) return [];
  const differ = [`${path}: ${ours}, not ${theirs}`];
  if (typeof ours !== "string" || typeof theirs !== "string" || !isNumber(ours) || !isNumber(theirs)) return differ;
  const [a, b] = [decimal(ours), decimal(theirs)];
  const scale = a.abs().gt(b.abs()) ? a.abs() : b.abs();
  return scale.isZero() || a.minus(b).abs().div(scale).lte(greatestError) ? [] : differ;
}

const isNumber = (value: string) => /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(value);

test("a second implementation in Python gives the same result for 500 random campaigns", { skip }, () => {
  assert.equal(inputs.campaigns.length, campaigns);
  const found = inputs.campaigns.flatMap((input, index) =>
    differences(
      comparable(evaluateCampaign(input)),
      opinions.campaigns[index] ?? null,
      `campaign ${index} (${input.method})`,
    ),
  );
  assert.deepEqual(found, []);
});

test("the random campaigns reach every outcome that matters", { skip }, () => {
  const outcomes = inputs.campaigns.map((input) => ({ input, outcome: evaluateCampaign(input) }));
  const count = (is: (each: (typeof outcomes)[number]) => boolean) => outcomes.filter(is).length;
  const counts = {
    certifiable: count(({ outcome }) => outcome.certifiable !== null),
    "certifiable below what was measured": count(
      ({ outcome }) => outcome.certifiable?.lt(outcome.asMeasured?.result.reductions ?? 0) ?? false,
    ),
    "not certifiable": count(({ outcome }) => outcome.reasons.length > 0),
    paired: count(({ input }) => input.design === "paired"),
    strata: count(({ input }) => input.strata !== undefined),
    "several fuels": count(({ outcome }) => (outcome.asMeasured?.fuels.length ?? 0) > 1),
    "wet wood": count(({ input }) => input.factors.wood?.wet !== undefined),
    "value of a person": count(({ input }) => input.value?.per === "person"),
    "value of a standard adult": count(({ input }) => input.value?.per === "standard-adult"),
    "surveyed on one day": count(({ input }) => input.surveyedOn !== undefined),
    bounds: count(({ outcome }) => outcome.asMeasured?.fuels.some(({ taken }) => taken.includes("bound")) ?? false),
    means: count(({ outcome }) => outcome.asMeasured?.fuels.some(({ taken }) => taken.includes("mean")) ?? false),
  };
  for (const [what, times] of Object.entries(counts)) assert.ok(times >= 10, `${what}: ${times} of ${campaigns}`);
  for (const [id, { test: uses }] of methods) {
    if (uses !== null) assert.ok(count(({ input }) => input.method === id) >= 50, id);
  }
  const rules = new Set(outcomes.flatMap(({ outcome }) => outcome.reasons.map(({ rule }) => rule)));
  for (const rule of [
    "days-reach-minimum",
    "missing-at-most-tenth",
    "minimum-sample",
    "cohort-reaches-minimum",
    "reduction-positive",
  ]) {
    assert.ok(rules.has(rule), rule);
  }
});

test("it gives the same result for 100 random projects of metered devices", { skip }, () => {
  const found = inputs.metered.flatMap(({ method, inputs: given }, index) => {
    const result = methods.get(method)?.calculate(given) ?? assert.fail(method);
    const { baseline, project, leakage, reductions } = result;
    const ours = {
      baseline: figure(baseline),
      project: figure(project),
      leakage: figure(leakage),
      reductions: figure(reductions),
    };
    return differences(ours, opinions.metered[index] ?? null, `metered ${index} (${method})`);
  });
  assert.deepEqual(found, []);
});

test("it gives the published examples of MECD, method 1", { skip }, async () => {
  const metered = mecdMethod1.map(({ inputs }) => `{"inputs":${jsonOf(inputs)}}`);
  const answer = await python("second_opinion.py", [], Buffer.from(`{"campaigns":[],"metered":[${metered}]}`));
  const results: { metered: Record<string, string>[] } = JSON.parse(answer.toString("utf8"));
  for (const [index, { printed, name }] of mecdMethod1.entries()) {
    const { project, reductions } = results.metered[index] ?? assert.fail(name);
    assert.ok(isAsPrinted(decimal(project ?? ""), printed.project ?? ""), `${name}: ${project}`);
    assert.ok(isAsPrinted(decimal(reductions ?? ""), printed.reductions ?? ""), `${name}: ${reductions}`);
  }
});

test("the comparison finds a difference of 1e-11 and a missing reason", () => {
  assert.deepEqual(differences({ a: "1" }, { a: "1.0000000000001" }), []);
  assert.equal(differences({ a: "1" }, { a: "1.00000000001" }).length, 1);
  assert.equal(differences({ a: ["x", "y"] }, { a: ["x"] }).length, 1);
  assert.equal(differences({ a: null }, { a: "0" }).length, 1);
});

test("refuses nothing that a programme may measure", { skip }, () => {
  for (const input of inputs.campaigns) assert.doesNotThrow(() => evaluateCampaign(input), AppError);
});
