import {
  decimal,
  type GroupStatistics,
  groupResponse,
  jsonExact,
  jsonRounded,
  type Saving,
} from "../../emissions/index.ts";
import type { Group } from "../groups.ts";
import { serializeSampling } from "../sampling/schemas.ts";
import type { SamplingTerms } from "../sampling/terms.ts";
import type { Confidence } from "../terms/terms.ts";
import type { Certifiability, MethodOutcome } from "./evaluation.ts";
import type { RemeasuredPosition } from "./flags/chosen-values.ts";
import { serializeEmissionsTerms, valueUnitOf } from "./inputs/emissions-terms.ts";
import {
  combinationOf,
  type DriedFuelAmount,
  type MeasuredHousehold,
  moistureOf,
  unitNames,
} from "./inputs/households.ts";
import type { RecordedSibling } from "./record.ts";
import {
  type CampaignResult,
  type CampaignToDescribe,
  type GroupResult,
  type StratumResult,
  sensitivityAssumption,
} from "./result.ts";
import type { CampaignResultFigures } from "./schemas.ts";

type Named = { campaignId: string; confidence: Confidence; sampling?: SamplingTerms; siblings?: RecordedSibling[] };

/** A result as JSON: quotients rounded at 12 decimals, emissions with every digit. */
export function serializeFigures(named: Named, { campaign, groups, ...result }: CampaignResult): CampaignResultFigures {
  const { reference, intervention } = groups;
  const { level, precision, convention } = named.confidence;
  const per = valueUnitOf(campaign.terms);
  return {
    campaignId: named.campaignId,
    unit: `kg per ${unitNames[per]} per day`,
    confidence: { level: jsonExact(decimal(level)), precision: jsonExact(decimal(precision)), convention },
    ...(named.sampling === undefined ? {} : { sampling: serializeSampling(named.sampling) }),
    combination: combinationOf(per),
    groups: {
      reference: serializeGroup(reference, countsOf(campaign, "reference")),
      intervention: serializeGroup(intervention, countsOf(campaign, "intervention")),
    },
    ...(result.driedFuels === undefined ? {} : { dryMass: serializeDryMass(result.driedFuels) }),
    saving: serializeSaving(result.saving),
    perStandardAdult: {
      unit: "kg per standard adult per day",
      groups: { reference: serializePerAdult(reference), intervention: serializePerAdult(intervention) },
      saving: serializeSaving(result.savingPerStandardAdult),
    },
    emissions: {
      terms: serializeEmissionsTerms(campaign.terms),
      reductions: result.reductions.map((outcome, index) => ({
        ...serializeReduction(outcome, convention),
        certifiable: serializeCertifiability(result.certifiability[index] as Certifiability),
      })),
    },
    sensitivity: {
      assumption: sensitivityAssumption,
      missing: { reference: [...campaign.missing.reference], intervention: [...campaign.missing.intervention] },
      open: { reference: [...campaign.open.reference], intervention: [...campaign.open.intervention] },
      saving: serializeSaving(result.sensitivity.saving),
      reductions: result.sensitivity.reductions.map((outcome) => serializeReduction(outcome, convention)),
    },
    flags: result.flags,
    siblings: named.siblings ?? [],
  };
}

type SampleCounts = {
  sampleSize: number;
  replaced: number | undefined;
  remeasured: readonly RemeasuredPosition[] | undefined;
};

function countsOf({ sampleSize, replacements, remeasured }: CampaignToDescribe, group: Group): SampleCounts {
  return { sampleSize, replaced: replacements?.[group].length, remeasured: remeasured?.[group] };
}

function serializeDryMass(
  driedFuels: NonNullable<CampaignResult["driedFuels"]>,
): NonNullable<CampaignResultFigures["dryMass"]> {
  const serialize = (each: DriedFuelAmount) => ({
    fuel: each.fuel,
    weighed: jsonExact(decimal(each.weighed).div(1000)),
    dry: jsonExact(decimal(each.dry).div(1000)),
    moisture: jsonRounded(moistureOf(each)),
  });
  return {
    unit: "kg",
    groups: {
      reference: driedFuels.reference.map(serialize),
      intervention: driedFuels.intervention.map(serialize),
    },
  };
}

function serializeGroup(
  group: GroupResult,
  { sampleSize, replaced, remeasured }: SampleCounts,
): CampaignResultFigures["groups"]["reference"] {
  const { claims, frameSize, requiredSampleSize: required, statistics, households, withoutPeople } = group;
  return {
    ...serializeStatistics(statistics, households),
    claims,
    ...(withoutPeople === 0 ? {} : { householdsWithoutPeople: withoutPeople }),
    sampleSize,
    ...(replaced === undefined ? {} : { replaced }),
    ...(remeasured === undefined ? {} : { remeasured: remeasured.map((each) => ({ ...each })) }),
    frameSize,
    requiredSampleSize: required,
    meetsRequiredSampleSize: required === null ? null : statistics.n >= required,
    ...(group.strata === undefined ? {} : { strata: group.strata.map(serializeStratum) }),
  };
}

function serializeStratum({ name, share, statistics, ...counts }: StratumResult) {
  const { outliers: _, meets9010: __, ...figures } = groupResponse(statistics);
  return { id: name ?? "", share: jsonRounded(share), ...counts, ...figures };
}

function serializePerAdult({ perStandardAdult, households, withoutPeople }: GroupResult) {
  const householdsWithoutSize = households.length + withoutPeople - perStandardAdult.households.length;
  return { ...serializeStatistics(perStandardAdult.statistics, perStandardAdult.households), householdsWithoutSize };
}

function serializeStatistics(group: GroupStatistics, households: readonly MeasuredHousehold[]) {
  const answer = groupResponse(group);
  const outliers = answer.outliers.map(({ index, value, side }) => {
    const { position, claimIds } = households[index] as MeasuredHousehold;
    return { position, claimIds, value, side };
  });
  return { ...answer, outliers };
}

function serializeSaving(saving: Saving): CampaignResultFigures["saving"] {
  return {
    mean: jsonRounded(saving.mean),
    share: jsonRounded(saving.share),
    standardError: jsonRounded(saving.standardError),
    degreesOfFreedom: jsonRounded(saving.degreesOfFreedom),
    halfWidth: jsonRounded(saving.halfWidth),
    lowerBound: jsonRounded(saving.lowerBound),
    upperBound: jsonRounded(saving.upperBound),
    precision: jsonRounded(saving.precision),
    conservative: jsonRounded(saving.conservative),
  };
}

function serializeCertifiability({ er, basis, problems }: Certifiability) {
  return { er: er === null ? null : jsonExact(er), basis, problems };
}

function serializeReduction(outcome: MethodOutcome, convention: string) {
  const { method, version, title, assumptions, reduction, broken } = outcome;
  const figure = (name: "be" | "ae" | "le" | "er") => (reduction === null ? null : jsonExact(reduction[name]));
  return {
    method,
    version,
    title,
    convention,
    unit: "tCO2e/year" as const,
    be: figure("be"),
    ae: figure("ae"),
    le: figure("le"),
    er: figure("er"),
    assumptions,
    broken,
    lines: (reduction?.lines ?? []).map(({ name, value, unit, source }) => ({
      name,
      value: jsonExact(value),
      unit,
      source,
    })),
  };
}
