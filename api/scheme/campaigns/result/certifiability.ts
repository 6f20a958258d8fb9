import type { RuleDetail } from "../../../platform/errors.ts";
import { type Decimal, type MethodId, methods } from "../../emissions/index.ts";
import { type Group, groups } from "../groups.ts";
import type { EmissionsTerms } from "./emissions-terms.ts";
import type { MethodOutcome } from "./reduction.ts";

/** What a certificate of a result may rest on, or everything that prevents one. */
export type Certifiability = {
  /** tCO2e a year; null where something prevents a certificate. */
  er: Decimal | null;
  /** `sensitivity` where more than 5 % of a group is unmeasured and that gives less. */
  basis: "measured" | "sensitivity";
  problems: RuleDetail[];
};

export type SampleFacts = {
  terms: EmissionsTerms;
  /** Households to be measured in each group. */
  sampleSize: number;
  frameSizes: Record<Group, number>;
  measured: Record<Group, number>;
  /** Drawn positions without a measurement. */
  unmeasured: Record<Group, number>;
  /** Of those, positions that have not ended. */
  open: Record<Group, number>;
  /** Ids of siblings that are neither closed nor abandoned. */
  openSiblings: readonly string[];
};

/** One unmeasured household in this many of a group's sample prevents a certificate. */
const samplePerUnmeasured = 10;
/** Beyond one unmeasured household in this many, the sensitivity counts. */
const samplePerSensitive = 20;

/** Whether a certificate can rest on a method's reduction, and on how much of it. */
export function certifiabilityOf(outcome: MethodOutcome, sensitive: MethodOutcome, facts: SampleFacts): Certifiability {
  const isSensitive = groups.some((group) => facts.unmeasured[group] * samplePerSensitive > facts.sampleSize);
  const problems = [
    ...termProblems(outcome, facts),
    ...sampleProblems(outcome.method, facts),
    ...siblingProblems(facts),
    ...outcome.broken.map(named),
    ...(isSensitive && outcome.broken.length === 0 ? sensitive.broken.map(named) : []),
  ];
  const measured = outcome.reduction?.er.value ?? null;
  const low = sensitive.reduction?.er.value ?? null;
  const basis = isSensitive && measured !== null && low?.lt(measured) ? "sensitivity" : "measured";
  return { er: problems.length > 0 ? null : basis === "sensitivity" ? low : measured, basis, problems };
}

const named = ({ path, rule, message }: RuleDetail): RuleDetail => ({
  path: path === undefined ? "emissions" : `emissions.${path}`,
  rule,
  message,
});

function termProblems({ method, assumptions }: MethodOutcome, { terms }: SampleFacts): RuleDetail[] {
  const rule = "terms-committed";
  const found = assumptions.map(({ parameter, message }) => ({
    path: `emissions.${parameter}`,
    rule,
    message: `The campaign did not commit ${parameter} before its draw: ${message}`,
  }));
  if (terms.method === method) return found;
  const message =
    terms.method === undefined
      ? "The campaign did not commit a method before its draw."
      : `The campaign committed the method ${terms.method} before its draw.`;
  return [{ path: "emissions.method", rule, message }, ...found];
}

function sampleProblems(method: MethodId, facts: SampleFacts): RuleDetail[] {
  return groups.flatMap((group) => {
    const { sampleSize } = facts;
    const [measured, unmeasured, open] = [facts.measured[group], facts.unmeasured[group], facts.open[group]];
    const path = `groups.${group}`;
    const found: RuleDetail[] = [];
    if (open > 0) {
      const message = `${open} drawn households of the ${group} group are neither measured nor replaced nor marked as missing.`;
      found.push({ path, rule: "sample-complete", message });
    }
    if (unmeasured * samplePerUnmeasured > sampleSize) {
      const message = `${unmeasured} of the ${sampleSize} households of the ${group} group were not measured; at most a tenth may be.`;
      found.push({ path, rule: "missing-at-most-tenth", message });
    }
    const least = leastSample(method, facts.frameSizes[group]);
    if (measured < least) {
      const message = `${measured} households of the ${group} group were measured; the method needs ${least}.`;
      found.push({ path, rule: "minimum-sample", message });
    }
    return found;
  });
}

/** The method's minimum; a smaller frame is measured as a whole. */
function leastSample(method: MethodId, frameSize: number): number {
  const least = methods.get(method)?.minimums.sample.value;
  if (least === undefined) throw new Error(`The method ${method} has no minimum sample.`);
  return Math.min(least, frameSize);
}

function siblingProblems({ openSiblings }: SampleFacts): RuleDetail[] {
  return openSiblings.map((campaignId) => {
    const message = `Campaign ${campaignId} over the same households and period is still open.`;
    return { path: "siblings", rule: "siblings-ended", message };
  });
}
