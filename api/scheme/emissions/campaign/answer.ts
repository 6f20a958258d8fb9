import { jsonExact } from "../decimal.ts";
import { methodAnswer } from "../methods/answer.ts";
import type { Estimate } from "./estimate.ts";
import type { CampaignOutcome } from "./evaluate.ts";
import type { Reading } from "./fuel-use.ts";

/** Serialize an evaluated campaign as JSON, with all digits of each number. */
export function campaignAnswer(outcome: CampaignOutcome) {
  const { devices, usage, asMeasured, withMissing, certifiable } = outcome;
  return {
    method: outcome.method,
    version: outcome.version,
    days: outcome.days,
    devices,
    usage: {
      usage: jsonExact(usage.usage),
      bounds: usage.bounds.map(({ age, bound }) => ({ age, bound: jsonExact(bound) })),
    },
    groups: outcome.groups,
    asMeasured: asMeasured === null ? null : readingAnswer(asMeasured),
    withMissing: withMissing === null ? null : readingAnswer(withMissing),
    certifiable: certifiable === null ? null : jsonExact(certifiable),
    reasons: outcome.reasons,
    flags: outcome.flags,
  };
}

function readingAnswer({ fuels, result }: Reading) {
  return {
    fuels: fuels.map(({ fuel, reference, intervention, saving, baseline, project, taken }) => ({
      fuel,
      reference: estimateAnswer(reference),
      intervention: estimateAnswer(intervention),
      saving: estimateAnswer(saving),
      baseline: jsonExact(baseline),
      project: jsonExact(project),
      taken,
    })),
    result: methodAnswer(result),
  };
}

function estimateAnswer({ n, mean, standardError, degreesOfFreedom, halfWidth, precision }: Estimate) {
  return {
    n,
    mean: jsonExact(mean),
    standardError: jsonExact(standardError),
    degreesOfFreedom: jsonExact(degreesOfFreedom),
    halfWidth: jsonExact(halfWidth),
    precision: precision === null ? null : jsonExact(precision),
  };
}
