import type { Hex } from "viem";
import type { RuleDetail } from "../../../platform/errors.ts";
import type { Flag } from "../../emissions/index.ts";
import { evidenceUriHash } from "../evidence-marks.ts";
import { type Group, groups } from "../groups.ts";
import type { SamplingTerms } from "../sampling/terms.ts";

/** A drawn position that another household replaced, with the SHA-256 of its evidence's URI; null where the URI is not known here. */
export type RecordedReplacement = { position: number; evidence: Hex | null };

/** Replacements by group, in their order. */
export type Replacements = Record<Group, readonly RecordedReplacement[]>;

/** Describe a replacement for a result. URIs that differ in their fragment alone are one piece of evidence. */
export function recordReplacement(position: number, evidence: string | null): RecordedReplacement {
  return { position, evidence: evidence === null ? null : evidenceUriHash(evidence) };
}

type Sample = {
  sampleSize: number;
  sampling?: SamplingTerms | undefined;
  missing: Record<Group, readonly number[]>;
  /** Absent from results that were closed before they recorded replacements. */
  replacements?: Replacements | undefined;
};

/** Flag a group in which more than one household in ten was replaced, and households that were replaced by the same evidence. */
export function replacementFlags(sample: Sample): Flag[] {
  const { replacements, sampleSize } = sample;
  if (replacements === undefined) return [];
  const shared = sharedEvidence(sample, replacements);
  return groups.flatMap((group): Flag[] => {
    const found: Flag[] = [];
    const positions = replacements[group].map(({ position }) => position);
    if (positions.length * 10 > sampleSize) {
      const message = `${positions.length} households of the ${group} group were replaced, more than 10 % of its sample of ${sampleSize}.`;
      found.push({ group, rule: "replacements-many", message, positions });
    }
    const same = replacements[group].filter(({ evidence }) => evidence !== null && shared.has(evidence));
    if (same.length > 0) {
      const message = `${same.length} replacements of the ${group} group have the same evidence as that of another household.`;
      found.push({ group, rule: "same-evidence", message, positions: same.map(({ position }) => position) });
    }
    return found;
  });
}

/** The evidence of several households. A pair is one household, which leaves both groups together. */
function sharedEvidence({ sampling }: Sample, replacements: Replacements): Set<Hex> {
  const households = new Map<Hex, Set<string>>();
  for (const group of groups) {
    for (const { position, evidence } of replacements[group]) {
      if (evidence === null) continue;
      const household = sampling?.paired === undefined ? `${group}:${position}` : String(position);
      households.set(evidence, (households.get(evidence) ?? new Set()).add(household));
    }
  }
  return new Set([...households].flatMap(([evidence, { size }]) => (size > 1 ? [evidence] : [])));
}

/** A result does not stand for its frame when more households left the sample than could be measured in it. */
export function replacementProblems({ replacements, sampleSize, missing }: Sample): RuleDetail[] {
  if (replacements === undefined) return [];
  return groups.flatMap((group) => {
    const replaced = replacements[group].length;
    const measurable = sampleSize - missing[group].length;
    if (replaced <= measurable) return [];
    const message = `More households of the ${group} group were replaced (${replaced}) than measured or still to be measured (${measurable}).`;
    return [{ path: `groups.${group}`, rule: "replacements-at-most-measured", message }];
  });
}
